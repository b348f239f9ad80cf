import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Dispatcher } from 'undici';
import { LengthFaults } from '../../base/length-faults.ts';
import { withoutSchemas } from '../../base/no-schemas.ts';
import type { BudgetHolder } from './connection-budget.ts';
import { type EngineOptions, type ForwardEngine, MAX_HEADER_SIZE } from './engine.ts';
import { http2Connection } from './http2-connect.ts';
import { Http2Exchange } from './http2-exchange.ts';
import { http2Fields } from './http2-fields.ts';

/** Loads the library only for the first upstream with `http2: true`. */
const require = createRequire(import.meta.url);

/** Node.js reports each stream of a client on this channel. */
const CREATED = 'http2.client.stream.created';

/** HTTP/2. */
export function openHttpProxy(options: EngineOptions): ForwardEngine {
  return new HttpProxyEngine(options);
}

/**
 * @fastify/http-proxy keeps the session and opens its streams. Its options and this file give it the rules of every
 * engine (docs/decisions/0016): the judged path and Host, no retries, the gateway's limits, and no completion of
 * truncated answers. A broken upstream connection does not end the process.
 */
class HttpProxyEngine implements ForwardEngine, BudgetHolder {
  readonly tellsWaits = false;
  readonly #options: EngineOptions;
  readonly #app: FastifyInstance;
  readonly #ready: Promise<unknown>;
  readonly #exchanges = new WeakMap<object, Http2Exchange>();
  /** The number of streams of each session. */
  readonly #sessions = new Map<ClientHttp2Session, number>();
  readonly #faults = new WeakMap<ClientHttp2Session, LengthFaults>();
  /** Sessions that have not answered a ping yet. */
  readonly #asked = new WeakSet<ClientHttp2Session>();
  readonly #leaveRoom: (() => void) | undefined;
  /** Set between the request for its headers and the opening of its stream, which is one turn. */
  #opening: Http2Exchange | undefined;
  #isReady = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#app = this.#buildApp();
    this.#ready = Promise.resolve(this.#app.ready()).then(() => {
      this.#isReady = true;
    });
    subscribe(CREATED, this.#created);
    this.#leaveRoom = options.room?.join(this);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const exchange = new Http2Exchange(options, handler);
    if (this.#isReady) this.#send(exchange);
    else this.#ready.then(() => this.#send(exchange)).catch((error: Error) => exchange.fail(error));
  }

  /** Closes a session that has no stream at the moment. */
  letGo(): boolean {
    const idle = this.#sessions.entries().find(([session, streams]) => streams === 0 && !session.destroyed);
    idle?.[0].destroy();
    return idle !== undefined;
  }

  async destroy(): Promise<void> {
    this.#leaveRoom?.();
    await this.#app.close();
    unsubscribe(CREATED, this.#created);
  }

  #buildApp(): FastifyInstance {
    const { url } = this.#options;
    const app = Fastify({ ...withoutSchemas, logger: false, return503OnClosing: false });
    const opening = () => this.#opening;
    app.register(require('@fastify/http-proxy') as typeof import('@fastify/http-proxy').default, {
      upstream: url.origin,
      disableRequestLogging: true,
      internalRewriteLocationHeader: false,
      httpMethods: ['GET', 'POST'],
      // The gateway has its own timeouts for the first byte and for silence. The library's timeouts would end streams
      // that are quiet on purpose.
      http2: {
        sessionTimeout: 0,
        requestTimeout: 0,
        sessionOptions: {
          // The library's default is false, but only the setting of our own connection counts.
          rejectUnauthorized: true,
          createConnection: () => http2Connection(this.#options),
          settings: { enablePush: false, maxHeaderListSize: MAX_HEADER_SIZE },
        },
        requestOptions: {
          // By default it depends on the method, and the body of a DELETE would be lost.
          get endStream() {
            return opening()?.body === undefined;
          },
        },
      },
      replyOptions: {
        rewriteRequestHeaders: ({ raw }) => this.#headersFor(raw) as never,
        retryDelay: () => null,
        onResponse: () => undefined,
        onError: ({ request }, { error }) => this.#exchanges.get(request.raw)?.fail(rootOf(error)),
      },
    });
    app.setErrorHandler((error: Error, { raw }) => this.#exchanges.get(raw)?.fail(error));
    return app;
  }

  /** The library would parse path and Host again from a URL. The gateway passes the judged ones instead. */
  #headersFor(raw: object): OutgoingHttpHeaders {
    this.#opening = this.#exchanges.get(raw);
    const { method = 'GET', path = '/', headers } = this.#opening?.options ?? {};
    return http2Fields(method, path, headers as readonly string[]);
  }

  #send(exchange: Http2Exchange): void {
    const raw = stub(exchange.body);
    this.#exchanges.set(raw, exchange);
    try {
      this.#app.routing(raw, new ServerResponse(raw));
    } finally {
      this.#opening = undefined;
    }
  }

  readonly #created = (message: unknown): void => {
    const exchange = this.#opening;
    if (exchange === undefined) return;
    this.#opening = undefined;
    const { stream } = message as { stream: ClientHttp2Stream };
    const session = stream.session as ClientHttp2Session;
    if (!this.#sessions.has(session)) this.#guard(session);
    this.#count(session, 1);
    this.#faults.get(session)?.watch(stream);
    exchange.open(stream);
    stream.once('close', () => this.#closed(exchange, session));
  };

  /** The library stops listening once a session is open. An unhandled error would end the process. */
  #guard(session: ClientHttp2Session): void {
    this.#sessions.set(session, 0);
    this.#faults.set(session, new LengthFaults(session));
    session.on('error', () => undefined);
    session.once('close', () => this.#sessions.delete(session));
  }

  #count(session: ClientHttp2Session, change: 1 | -1): void {
    const streams = this.#sessions.get(session);
    if (streams !== undefined) this.#sessions.set(session, streams + change);
  }

  #closed(exchange: Http2Exchange, session: ClientHttp2Session): void {
    this.#count(session, -1);
    if (session.destroyed) return;
    if (!this.#options.keepAlive) session.close();
    else if (!exchange.answered) this.#prove(session);
  }

  /** A stream without an answer may be the only sign of a lost peer. A live peer answers a ping. */
  #prove(session: ClientHttp2Session): void {
    if (this.#asked.has(session)) return;
    this.#asked.add(session);
    const timer = setTimeout(() => session.destroy(), this.#options.connectTimeout).unref();
    const isSent = session.ping(() => {
      clearTimeout(timer);
      this.#asked.delete(session);
    });
    if (!isSent) session.destroy();
  }
}

/** The library's errors carry a status for a client. Their cause contains the fault. */
function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/**
 * A request for the library's router. It says only whether there is a body. If there is one, the body itself is this
 * request.
 */
function stub(body: Readable | undefined): IncomingMessage {
  const headers =
    body === undefined ? {} : { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' };
  const line = { method: body === undefined ? 'GET' : 'POST', url: '/', httpVersionMajor: 1, headers };
  return Object.assign(body ?? new Readable({ read: () => undefined }), line) as unknown as IncomingMessage;
}
