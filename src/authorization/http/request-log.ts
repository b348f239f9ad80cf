import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Bindings, ChildLoggerOptions } from 'pino';
import { type UnredactedLine, withoutRedaction } from '../../base/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set after the client's authentication; at the pages, after its lookup. */
    clientId: string | undefined;
    /** Set by the answer of a refusal. */
    errorCode: string | undefined;
  }
  interface FastifyContextConfig {
    /** Set by the endpoint. */
    name?: string;
  }
}

/** Writes one line and one count for each request. */
export function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.decorateRequest('clientId', undefined);
  app.decorateRequest('errorCode', undefined);
  const lines = withoutRedaction(app.log);
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered(endpointOf(request), request.errorCode ?? 'ok');
    lines.info(lineOf(request, reply), 'answered');
    done();
  });
}

/** Without path and query: a client may put a secret there by mistake. */
interface RequestLine extends UnredactedLine {
  readonly request_id: string;
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly error: string | undefined;
  readonly client_id: string | undefined;
  readonly address: string | undefined;
  readonly milliseconds: number;
}

function lineOf(request: FastifyRequest, reply: FastifyReply): RequestLine {
  const { id: request_id, clientId: client_id, errorCode: error, method, ip: address } = request;
  const milliseconds = Math.round(reply.elapsedTime);
  const endpoint = endpointOf(request);
  return { request_id, endpoint, method, status: reply.statusCode, error, client_id, address, milliseconds };
}

function endpointOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.name ?? 'none';
}

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The child logger of one request, created with its first line. Most requests have only the line of `recordRequests`, and
 * creating a child costs about as much as that line.
 */
export class RequestLogger implements FastifyBaseLogger {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildLoggerOptions) {
    this.#make = () => parent.child(bindings, options);
  }

  get level(): string {
    return this.#own().level;
  }

  fatal(...said: unknown[]): void {
    this.#say('fatal', said);
  }

  error(...said: unknown[]): void {
    this.#say('error', said);
  }

  warn(...said: unknown[]): void {
    this.#say('warn', said);
  }

  info(...said: unknown[]): void {
    this.#say('info', said);
  }

  debug(...said: unknown[]): void {
    this.#say('debug', said);
  }

  trace(...said: unknown[]): void {
    this.#say('trace', said);
  }

  silent(...said: unknown[]): void {
    this.#say('silent', said);
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): FastifyBaseLogger {
    return this.#own().child(bindings, options);
  }

  #say(level: Level, said: unknown[]): void {
    const logger = this.#own();
    Reflect.apply(logger[level], logger, said);
  }

  #own(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }
}
