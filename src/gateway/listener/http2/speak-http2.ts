import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { plainAddress } from '../../../base/client-address.ts';
import { LengthFaults } from '../../../base/length-faults.ts';
import { certificateOf } from '../../client/client-certificate.ts';
import type { IncomingRequest } from '../../client/incoming-request.ts';
import type { ClientSession } from './client-session.ts';
import { openSession, type SessionOptions } from './open-session.ts';
import { type Http2Connection, StreamCarrier } from './stream-connection.ts';
import { readStreamHead } from './stream-head.ts';
import { StreamRequest } from './stream-request.ts';
import { StreamResponse } from './stream-response.ts';

/** What all connections of a listener share. */
export interface Http2Options extends SessionOptions {
  readonly handle: (arrival: IncomingRequest) => void;
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

function accept(socket: TLSSocket, options: Http2Options): void {
  if (socket.destroyed) return;
  const { session, watched } = openSession(socket, options);
  const faults = new LengthFaults(session);
  session.on('stream', (stream, headers) => {
    // A reset for another fault still ends the connection, because a client could provoke resets at will
    // (CVE-2025-8671).
    if (headers['content-length'] !== undefined && !stream.endAfterHeaders) faults.watch(stream);
  });
  const connection = { remoteAddress: plainAddress(socket.remoteAddress), certificate: certificateOf(socket) };
  session.on('stream', serveStreams(watched, connection, options));
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
