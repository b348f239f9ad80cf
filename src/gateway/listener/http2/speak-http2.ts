import { type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { plainAddress } from '../../../base/client-address.ts';
import type { Clock } from '../../../base/clock.ts';
import { LengthFaults } from '../../../base/length-faults.ts';
import type { LimitsConfig } from '../../../config/schema/gateway.ts';
import { certificateOf } from '../../client/client-certificate.ts';
import type { ListenerState } from '../../client/exchange.ts';
import type { IncomingRequest } from '../../client/incoming-request.ts';
import type { Stalls } from '../../client/stalls.ts';
import { MAX_HEADER_SIZE } from '../../upstreams/engine.ts';
import { ClientSession } from './client-session.ts';
import { type Http2Connection, StreamCarrier } from './stream-connection.ts';
import { readStreamHead } from './stream-head.ts';
import { StreamRequest } from './stream-request.ts';
import { StreamResponse } from './stream-response.ts';

/** What the connections of a listener share. */
export interface Http2Options {
  /** The current limits. */
  readonly limits: () => LimitsConfig;
  readonly clock: Clock;
  readonly stalls: Stalls;
  readonly listener: Pick<Readonly<ListenerState>, 'draining' | 'sessions'>;
  readonly handle: (arrival: IncomingRequest) => void;
  /** A connection that broke the protocol. */
  readonly broken: () => void;
}

/** Offered by ALPN before HTTP/1.1. */
export const PROTOCOLS = ['h2', 'http/1.1'];

/**
 * Takes the connections that chose HTTP/2 by ALPN (RFC 9113 §3.2). All others stay with the server as it is, so that
 * HTTP/1.1 is served by the same code with and without this.
 */
export function speakHttp2(server: HttpsServer, options: Http2Options): void {
  const [serveHttp1, ...others] = server.listeners('secureConnection');
  if (serveHttp1 === undefined || others.length > 0) throw new Error('the server has another listener for connections');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') accept(socket, options);
    else Reflect.apply(serveHttp1, server, [socket]);
  });
}

/** Requests of one connection at one time; RFC 9113 §6.5.2 wants a hundred at least. */
const STREAMS = 100;
/** Bytes of a body that a client may send ahead of the upstream, in one request; and in all of a connection together. */
const STREAM_WINDOW = 128 * 1024;
const WINDOW = 1024 * 1024;
/** RFC 9113 §6.5.2 counts so much for each line beside its name and value. */
const LINE = 32;
/** Up to so many times the limit a head is read, for an answer that says what is wrong with it. */
const ANSWERED = 4;
/** Streams that a client may give up: at once, and for each second after that (CVE-2023-44487). */
const RESETS = { streamResetBurst: 200, streamResetRate: 33 };
/** Frames that break the protocol without ending the connection, until they end it. */
const INVALID_FRAMES = 100;

/**
 * Bytes of a header section that is sent, as nghttp2 reckons them: 12 times as much as an upstream may say. It would end
 * the connection for a longer one, with all that others have on it.
 */
const MOST_SENT = 12 * MAX_HEADER_SIZE;

function sessionOptions({ header_size, header_count }: LimitsConfig) {
  return {
    ...RESETS,
    settings: {
      maxConcurrentStreams: STREAMS,
      initialWindowSize: STREAM_WINDOW,
      maxHeaderListSize: ANSWERED * (header_size + header_count * LINE),
    },
    maxSendHeaderBlockLength: MOST_SENT,
    // Pseudo-headers are lines here.
    maxHeaderListPairs: ANSWERED * header_count + 8,
    maxSessionInvalidFrames: INVALID_FRAMES,
    maxSessionRejectedStreams: INVALID_FRAMES,
    // An upstream may repeat a field that must be single. Over HTTP/1.1 the gateway relays that too.
    strictSingleValueFields: false,
  };
}

function accept(socket: TLSSocket, options: Http2Options): void {
  if (socket.destroyed) return;
  const { limits, clock, stalls, listener, broken } = options;
  const session = performServerHandshake(socket, sessionOptions(limits()));
  const watched = new ClientSession(session, { socket, limits, now: () => clock.monotonic() });
  session.setLocalWindowSize(WINDOW);
  const faults = new LengthFaults(session);
  session.on('stream', (stream, headers) => {
    // A reset for another fault still ends the connection: a client could provoke resets at will (CVE-2025-8671).
    if (headers['content-length'] !== undefined && !stream.endAfterHeaders) faults.watch(stream);
  });
  const connection = { remoteAddress: plainAddress(socket.remoteAddress), certificate: certificateOf(socket) };
  session.on('stream', serveStreams(watched, connection, options));
  session.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_HTTP2_ERROR') broken();
  });
  listener.sessions.add(watched);
  stalls.watch(watched);
  socket.once('close', () => {
    listener.sessions.delete(watched);
    stalls.forget(watched);
  });
  if (listener.draining) watched.close();
}

function serveStreams(watched: ClientSession, connection: Http2Connection, { limits, handle }: Http2Options) {
  return (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
    // A stream's end reports its fault.
    stream.on('error', () => {});
    watched.began(stream);
    if (stream.destroyed || stream.closed) return;
    const head = readStreamHead(raw, !stream.endAfterHeaders, limits().header_size);
    const request = new StreamRequest(stream, head, headers, new StreamCarrier(stream, connection));
    const response = new StreamResponse(stream, request, watched.ending);
    handle({ request, response, target: head.target, notice: head.notice });
  };
}
