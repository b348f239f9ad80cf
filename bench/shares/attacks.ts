import { connect, type Socket } from 'node:net';
import { formatDigest } from '../../src/http-auth/digest.ts';

/** An attack that one address makes while other addresses send requests. */
export interface Attack {
  readonly name: string;
  /** Returns a function that ends it. */
  begin(port: number): Promise<() => void>;
}

const ATTACKER = '127.0.0.1';
const PIPELINED = 1280;
const UPLOADS = 300;
const ANNOUNCED = 64;
const MiB = 1024 * 1024;

export const attacks: readonly Attack[] = [
  { name: 'no attack', begin: async () => () => {} },
  { name: `${PIPELINED} pipelined requests`, begin: pipeline },
  { name: `${UPLOADS} dripping uploads`, begin: drip },
  { name: `${ANNOUNCED} announced bodies`, begin: announce },
];

async function opened(port: number, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', localAddress: ATTACKER }));
  await Promise.all(sockets.map((socket) => new Promise((done) => socket.once('connect', done))));
  for (const socket of sockets) socket.on('error', () => {}).resume();
  return sockets;
}

function ending(sockets: readonly Socket[], timer: NodeJS.Timeout): () => void {
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

/** All of them in one write, and the same number again each time that number was answered. */
async function pipeline(port: number): Promise<() => void> {
  const sockets = await opened(port, 1);
  const all = 'GET /public/slow HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(PIPELINED);
  let answers = 0;
  for (const socket of sockets) {
    socket.on('data', (text) => {
      answers += String(text).split('HTTP/1.1 ').length - 1;
      if (answers < PIPELINED) return;
      answers -= PIPELINED;
      socket.write(all);
    });
    socket.write(all);
  }
  return ending(
    sockets,
    setInterval(() => {}, 1_000),
  );
}

/**
 * Each sends 40 bytes a second, which `limits.body_rate` allows, with pauses that are long enough for each piece to be
 * forwarded.
 */
async function drip(port: number): Promise<() => void> {
  const sockets = await opened(port, UPLOADS);
  for (const socket of sockets) socket.write('POST /public/up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
  const more = () => {
    for (const socket of sockets) if (socket.writable) socket.write('x'.repeat(40));
  };
  return ending(sockets, setInterval(more, 1_000));
}

/** Credentials for each that pass all checks before the body. */
async function announce(port: number): Promise<() => void> {
  const nonce = await nonceOf(port);
  const sockets = await opened(port, ANNOUNCED);
  for (const [index, socket] of sockets.entries())
    socket.write(
      `POST /m/1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${madeUp(nonce, index + 1)}\r\nContent-Length: ${MiB}\r\n\r\n`,
    );
  const more = () => {
    for (const socket of sockets) if (socket.writable) socket.write('x'.repeat(60));
  };
  return ending(sockets, setInterval(more, 1_000));
}

async function nonceOf(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/m/1`);
  await response.arrayBuffer();
  return /nonce="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

function madeUp(nonce: string, count: number): string {
  const protection = { qop: 'auth-int', nc: count.toString(16).padStart(8, '0') } as const;
  const response = 'a'.repeat(64);
  const said = { username: 'alice', userhash: false, realm: 'bench', nonce, uri: '/m/1', response, opaque: undefined };
  return formatDigest({ ...said, algorithm: 'SHA-256', cnonce: 'c', protection });
}
