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

/** What all connections of a listener share. */
export interface Http2Options {
  /** The current limits. */
  readonly limits: () => LimitsConfig;
  readonly clock: Clock;
  readonly stalls: Stalls;
  readonly listener: Pick<Readonly<ListenerState>, 'draining' | 'sessions'>;
  readonly handle: (arrival: IncomingRequest) => void;
  /** Called for a connection that broke the protocol. */
  readonly broken: () => void;
}

/** ALPN offers these in order. */
export const PROTOCOLS = ['h2', 'http/1.1'];

/**
 * Takes the connections that chose HTTP/2 by ALPN (RFC 9113 §3.2). The server keeps all others, so the same code serves
 * HTTP/1.1 with and without HTTP/2.
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

/** Concurrent requests of one connection. RFC 9113 §6.5.2 recommends at least a hundred. */
const STREAMS = 100;
/** Bytes of a body that a client may send ahead of the upstream: in one request, and in the whole connection. */
const STREAM_WINDOW = 128 * 1024;
const WINDOW = 1024 * 1024;
/** RFC 9113 §6.5.2 adds this number to the name and value of each line. */
const LINE = 32;
/** A head is read up to this many times the limit, so that an answer can say what is wrong. */
const ANSWERED = 4;
/** Streams that a client may reset: at once, and in each later second (CVE-2023-44487). */
const RESETS = { streamResetBurst: 200, streamResetRate: 33 };
/** The connection ends after this many invalid frames that do not end it themselves. */
const INVALID_FRAMES = 100;

/**
 * Bytes of a header section to the client, as nghttp2 counts them: 12 times an upstream's limit. For a longer section,
 * nghttp2 would end the connection with all its streams.
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
    // Pseudo-headers count as lines here.
    maxHeaderListPairs: ANSWERED * header_count + 8,
    maxSessionInvalidFrames: INVALID_FRAMES,
    maxSessionRejectedStreams: INVALID_FRAMES,
    // An upstream may repeat a field that must occur once. The gateway relays this over HTTP/1.1, too.
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
    // A reset for another fault still ends the connection, because a client could provoke resets at will
    // (CVE-2025-8671).
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
    // The end of the stream reports its fault.
    stream.on('error', () => {});
    watched.began(stream);
    if (stream.destroyed || stream.closed) return;
    const head = readStreamHead(raw, !stream.endAfterHeaders, limits().header_size);
    const request = new StreamRequest(stream, head, headers, new StreamCarrier(stream, connection));
    const response = new StreamResponse(stream, request, watched.ending);
    handle({ request, response, target: head.target, notice: head.notice });
  };
}
