import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { Test } from 'tap';
import { frame } from './http2-frames.ts';
import { tlsFile } from './tls-file.ts';
import { until, within } from './until.ts';

/** RFC 9113 §6. */
export const DATA = 0;
export const HEADERS = 1;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;
export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** An HTTP/2 client that sends exactly the given frames. */
export interface Http2RawClient {
  readonly socket: Socket;
  readonly frames: Frame[];
  closed: boolean;
  send(...bytes: readonly Buffer[]): void;
  /** Waits for such a frame; undefined if the connection closed without one. */
  frame(type: number, stream?: number): Promise<Frame | undefined>;
  untilClosed(milliseconds?: number): Promise<boolean>;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/**
 * After the preface, with empty settings. By default, the client acknowledges the server's settings. `plain`: without TLS.
 */
export async function http2Raw(
  t: Test,
  port: number,
  { acknowledges = true, plain = false } = {},
): Promise<Http2RawClient> {
  const socket = plain ? connectPlain({ port, host: '127.0.0.1' }) : secured(port);
  t.teardown(() => socket.destroy());
  const client: Http2RawClient = {
    socket,
    frames: [],
    closed: false,
    send(...bytes) {
      if (!socket.destroyed) socket.write(Buffer.concat(bytes));
    },
    async frame(type, stream) {
      const found = () => client.frames.find((each) => each.type === type && (stream ?? each.stream) === each.stream);
      await until(() => client.closed || found() !== undefined);
      return found();
    },
    untilClosed: (milliseconds) => until(() => client.closed, milliseconds),
  };
  let unread: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let whole = take(unread); whole !== undefined; whole = take(unread)) {
      unread = unread.subarray(9 + whole.payload.length);
      client.frames.push(whole);
      if (acknowledges && whole.type === SETTINGS && whole.flags !== ACK) client.send(frame(SETTINGS, ACK, 0));
    }
  });
  const close = () => {
    client.closed = true;
  };
  socket.on('error', close).on('close', close);
  await within(
    new Promise<void>((done) => socket.once(plain ? 'connect' : 'secureConnect', done)),
    20_000,
    'a handshake',
  );
  client.send(PREFACE, frame(SETTINGS, 0, 0));
  return client;
}

function secured(port: number): Socket {
  const ca = readFileSync(tlsFile('authority.crt'));
  return connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ALPNProtocols: ['h2'] });
}

function take(bytes: Buffer): Frame | undefined {
  if (bytes.length < 9 || bytes.length < 9 + bytes.readUIntBE(0, 3)) return undefined;
  const payload = bytes.subarray(9, 9 + bytes.readUIntBE(0, 3));
  return { type: bytes[3] as number, flags: bytes[4] as number, stream: bytes.readUInt32BE(5), payload };
}

export type Lines = readonly (readonly [name: string, value: string])[];

/** A field block without compression (RFC 7541 §6.2.2): every name and value as given. */
export function block(lines: Lines): Buffer {
  return Buffer.concat(lines.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(bytes.length, 7), bytes]);
}

/** RFC 7541 §5.1. */
function integer(value: number, bits: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([value]);
  const bytes = [most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

export const GET: Lines = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'api.example.com'],
  [':path', '/public/a'],
];

export const POST: Lines = [[':method', 'POST'], ...GET.slice(1)];

/** A whole head in one frame. */
export function headers(stream: number, lines: Lines, flags = END_STREAM): Buffer {
  return frame(HEADERS, END_HEADERS + flags, stream, block(lines));
}

export function code({ payload }: Frame, at = 0): number {
  return payload.readUInt32BE(at);
}

/** RFC 9113 §6.8: the error code of a GOAWAY follows the last stream. */
export function goawayCode(goaway: Frame): number {
  return code(goaway, 4);
}

export function reset(stream: number, error = 8): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(error);
  return frame(RST_STREAM, 0, stream, payload);
}
