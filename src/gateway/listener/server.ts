import {
  createServer,
  type ServerOptions as HttpOptions,
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import {
  createServer as createTlsServer,
  type ServerOptions as HttpsOptions,
  type Server as HttpsServer,
} from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import Fastify, { type FastifyInstance } from 'fastify';
import { ASKED_FOR } from '../../base/listen.ts';
import { withoutSchemas } from '../../base/no-schemas.ts';
import { roomForConnections } from '../../base/open-files.ts';
import { fileLimitInWords } from '../../base/refused-connections.ts';
import type { LimitsConfig } from '../../config/schema/gateway.ts';
import type { TlsConfig } from '../../config/schema/listener.ts';
import { answerClientError, isGarbage, isLate, writeRaw } from '../client/client-error.ts';
import type { IncomingRequest } from '../client/incoming-request.ts';
import { owesResponse, pendingOn } from '../client/pending-response.ts';
import { Handshake } from '../client/tunnel.ts';
import type { Code } from '../message/codes.ts';
import type { CountedAnswer } from '../message/tally.ts';
import { FrontedServer, type FrontOptions } from './http1/front.ts';
import { type Http2Options, PROTOCOLS, speakHttp2 } from './http2/speak-http2.ts';
import { ResponseOrder } from './response-order.ts';
import { guardHandshakes } from './tls.ts';
import type { WatchUnread } from './unread-connection.ts';

/** The known facts about something that never became a request. */
export interface Malformed extends Partial<CountedAnswer> {
  /** The peer's address. */
  readonly address?: string | undefined;
}

export interface ServerOptions {
  readonly limits: LimitsConfig;
  /** If present, clients use TLS. */
  readonly tls?: { readonly options: HttpsOptions; readonly config: TlsConfig } | undefined;
  /** If present, TLS clients can choose HTTP/2 by ALPN. */
  readonly http2?: Omit<Http2Options, 'handle' | 'broken'> | undefined;
  /** If present, our own listener reads the requests that it can, and Node's server the rest. Excludes `tls`. */
  readonly http1?: FrontOptions | undefined;
  readonly watchUnread: WatchUnread;
  /** Receives each HTTP/1.1 connection. */
  readonly connected: (socket: Socket) => void;
  readonly handle: (arrival: IncomingRequest) => void;
  /**
   * Counts something that never became a request, so `handle` does not answer it. Returns its ticket. `told`: facts
   * beside the code.
   */
  readonly malformed: (code: Code, told?: Malformed) => string;
}

/**
 * The proxy's Fastify server: one catch-all for every method. `rewriteUrl` gives the framework a constant target. So no
 * router decodes, folds or rejects the target before the gateway judges its bytes.
 */
export function buildServer(options: ServerOptions): FastifyInstance {
  const expectations = new WeakMap<IncomingMessage, IncomingRequest['notice']>();
  const turns = new ResponseOrder(options.watchUnread);
  const app = Fastify({
    ...withoutSchemas,
    rewriteUrl: () => '/',
    return503OnClosing: false,
    // The framework would close the connection at once, even with pending answers. Our handler follows below.
    clientErrorHandler: () => undefined,
    serverFactory: (listener) => httpServer(listener, { expectations, turns }, options),
    exposeHeadRoutes: false,
  });
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // The first hook takes the request before the framework reads its body or checks its media type.
  app.addHook('onRequest', (request, reply, _next) => {
    reply.hijack();
    const { raw } = request;
    const response = reply.raw;
    const arrival = { request: raw, response, target: request.originalUrl, notice: expectations.get(raw) };
    if (response.socket === null) turns.wait(raw, response, () => options.handle(arrival));
    // RFC 9112 §9.6: after an answer with `close`, nothing is a request.
    else if (raw.socket.writable) options.handle(arrival);
  });
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'CONNECT'),
    url: '/',
    handler: () => undefined,
  });
  return app;
}

/** The known facts about requests that have not begun. */
interface Notes {
  readonly expectations: WeakMap<IncomingMessage, IncomingRequest['notice']>;
  readonly turns: ResponseOrder;
}

/** Milliseconds between two checks of connections with slow heads. */
const CHECK_INTERVAL = 1000;

function httpServer(
  listener: RequestListener,
  { expectations, turns }: Notes,
  { limits, tls, http1, http2, connected, handle, malformed }: ServerOptions,
): Server {
  const server = createOn(
    tls && { ...tls.options, ...(http2 && { ALPNProtocols: PROTOCOLS }) },
    http1 && { ...http1, handle },
    {
      // A total timeout would end large uploads. The gateway checks the rate of a body instead.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL, limits.headers_timeout),
      insecureHTTPParser: false,
      // The engine judges Host, so that its refusal looks like all others.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      noDelay: true,
      ...ASKED_FOR,
      shouldUpgradeCallback: isWebSocket,
    },
    listener,
  );
  // Node.js silently drops header lines beyond its own limit. The gateway refuses the request instead.
  server.maxHeadersCount = 0;
  applyLimits(server, limits);
  // This must run before other code listens for connections, because the current listener will serve HTTP/1.1.
  if (http2 !== undefined) speakHttp2(server as HttpsServer, { ...http2, handle, broken: unanswered(malformed) });
  if (tls !== undefined) guardHandshakes(server as HttpsServer, tls.config);
  // Over TLS, answers are written to the outer socket.
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') connected(socket);
  });
  server.on('checkContinue', (request, response) => {
    expectations.set(request, 'continue');
    listener(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    expectations.set(request, 'expectation_failed');
    listener(request, response);
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    if (!socket.writable) return void socket.destroy();
    const handshake = new Handshake(socket, head);
    handle({ request, response: responseOn(request, socket), target: request.url as string, handshake });
  });
  server.on('connect', (_request, socket: Socket) => {
    abandon(socket);
    turns.waitAsLast(socket, () => refuseTunnel(socket, malformed));
  });
  server.on('clientError', (error, duplex) => {
    const socket = duplex as Socket;
    const { remoteAddress: address } = socket;
    const answer = () => answerClientError(error, socket, (code) => malformed(code, { address }));
    if (isGarbage(error)) turns.waitAsLast(socket, answer);
    else if (!isLate(error) || !turns.excuse(socket, answer)) answer();
  });
  return server;
}

/** An HTTP/2 connection that breaks the protocol ends without an answer. */
function unanswered(malformed: ServerOptions['malformed']): () => void {
  return () => void malformed('message_malformed', { status: undefined });
}

/** Milliseconds for a peer to read the refusal. Node.js no longer watches such a connection. */
const LAST_WORD = 2000;

function refuseTunnel(socket: Socket, malformed: ServerOptions['malformed']): void {
  socket.setTimeout(LAST_WORD, () => socket.destroy());
  const ticket = malformed('method_not_allowed', { method: 'CONNECT', address: socket.remoteAddress });
  socket.end(writeRaw('method_not_allowed', { allow: [], ticket }), 'latin1', () => socket.destroy());
}

/**
 * On CONNECT, Node.js removes its listeners from the connection. An unhandled error would end the process. Pending
 * answers also need to know whether the client reads or has left.
 */
function abandon(socket: Socket): void {
  const leave = () => socket.destroy();
  socket.on('error', leave);
  if (owesResponse(socket)) socket.on('end', leave).on('drain', () => pendingOn(socket)?.emit('drain'));
  socket.resume();
}

function createOn(
  tls: HttpsOptions | undefined,
  http1: ConstructorParameters<typeof FrontedServer>[2] | undefined,
  options: HttpOptions,
  listener: RequestListener,
): Server {
  // As far as it is used here, an HTTPS server is an HTTP server.
  if (tls !== undefined) return createTlsServer({ ...options, ...tls }, listener) as unknown as Server;
  return http1 === undefined ? createServer(options, listener) : new FrontedServer(options, listener, http1);
}

/** Each client needs a connection to an upstream in addition to its own. */
export function roomForClients(): number {
  return roomForConnections(2);
}

/** The limit of connections that applies, in words. `room`: the connections that the open files allow. */
export function limitInWords({ connections }: Pick<LimitsConfig, 'connections'>, room = roomForClients()): string {
  return connections <= room ? `\`limits.connections\` (${connections}) is reached` : fileLimitInWords(room);
}

/** Applies to later connections and requests. Node.js reads each setting when it needs it. */
export function applyLimits(server: Server, limits: LimitsConfig): void {
  Object.assign(server, {
    maxHeaderSize: limits.header_size,
    headersTimeout: limits.headers_timeout,
    keepAliveTimeout: limits.idle,
    maxConnections: Math.min(limits.connections, roomForClients()),
  });
}

/**
 * RFC 9110 §7.8: the gateway ignores other upgrades and answers the request as usual. Java's client offers h2c with
 * every first request, so a refusal would lock it out.
 */
function isWebSocket({ method, headers, httpVersion, socket }: IncomingMessage): boolean {
  // While an earlier answer is owed, the gateway cannot give the connection away.
  if (owesResponse(socket)) return false;
  const bodiless = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  return method === 'GET' && httpVersion === '1.1' && bodiless && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * The connection of a handshake, prepared for an ordinary answer: a refusal, or an upstream's answer that is not a 101.
 */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on('finish', () => socket.destroySoon());
  // Node.js removes its own listener when it hands over a connection.
  socket.on('drain', () => {
    if (response.socket === socket) response.emit('drain');
  });
  return response;
}
