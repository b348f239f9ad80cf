import type { FastifyBaseLogger } from 'fastify';
import type { Bindings, ChildLoggerOptions } from 'pino';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The child of a logger that speaks of one request, made with its first line: most requests have none but that of
 * `request-log.ts`, and making it costs about as much as that line.
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
