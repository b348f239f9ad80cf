import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseHead } from '../../base/refuse-head.ts';
import type { Decisions } from './decisions.ts';

/** Bytes that may wait for one reader. A slower reader is disconnected, and may connect again. */
const BUFFER = 256 * 1024;
const MOST_WATCHERS = 32;
/** Milliseconds. A write detects a dead connection. */
const HEARTBEAT = 15_000;

export type WatchedDecisions = Pick<Decisions, 'watchers' | 'watch'>;

/** When a stream ends without an action of the reader. Undefined: no such limit. */
interface Limits {
  /** Decisions. */
  readonly limit: number | undefined;
  readonly seconds: number | undefined;
}

/** For a reader that did not request an event stream. Such a reader, like curl, would otherwise wait without output. */
const SHORT: Limits = { limit: 100, seconds: 30 };
/** Timers of Node.js cannot hold more, so a longer time means no limit. */
const LONGEST = 2_000_000;

/**
 * `GET /decisions`: every decision as it is made, as server-sent events (WHATWG HTML §9.2) of one JSON object each. It
 * ends after `?limit=` decisions or `?seconds=`. A reader that does not accept `text/event-stream` gets a short stream.
 */
export function streamDecisions(app: FastifyInstance, decisions: WatchedDecisions): void {
  refuseHead(app, '/decisions');
  app.get('/decisions', { exposeHeadRoute: false }, (request, reply) => {
    const limits = limitsOf(request);
    if (limits === undefined)
      return reply.code(400).send({ error: '`limit` and `seconds` must be whole numbers above 0' });
    if (decisions.watchers >= MOST_WATCHERS) return reply.code(503).send({ error: 'too many clients watch already' });
    reply.hijack();
    new Watcher(reply.raw, limits).watch(decisions);
    return reply;
  });
}

/** Undefined: the query is invalid. */
function limitsOf({ query, headers }: FastifyRequest): Limits | undefined {
  const { limit, seconds } = query as Readonly<Record<string, unknown>>;
  const given = { limit: wholeNumber(limit), seconds: wholeNumber(seconds) };
  if (given.limit === 0 || given.seconds === 0) return undefined;
  const isAsked = limit !== undefined || seconds !== undefined || headers.accept?.includes('text/event-stream');
  return isAsked ? given : SHORT;
}

/** 0: not a whole number above 0. */
function wholeNumber(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const number = typeof text === 'string' && /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return number > LONGEST ? 0 : number;
}

/** One reader of the stream. */
class Watcher {
  readonly #response: ServerResponse;
  readonly #limits: Limits;
  #count = 0;
  #stop: () => void = () => {};

  constructor(response: ServerResponse, limits: Limits) {
    this.#response = response;
    this.#limits = limits;
  }

  watch(decisions: WatchedDecisions): void {
    const { seconds } = this.#limits;
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#send(`: ${this.#greeting()}\n\n`);
    const unwatch = decisions.watch((record) => this.#decided(record));
    const heartbeat = setInterval(() => this.#send(':\n\n'), HEARTBEAT);
    const end = seconds === undefined ? undefined : setTimeout(() => this.#end(), seconds * 1000);
    this.#stop = () => {
      clearInterval(heartbeat);
      clearTimeout(end);
      unwatch();
    };
    this.#response.on('error', () => {});
    this.#response.on('close', this.#stop);
  }

  #greeting(): string {
    if (this.#limits !== SHORT) return 'from here on';
    const { limit, seconds } = SHORT;
    return `every decision from here on, for ${seconds} seconds or ${limit} decisions; ?seconds=600 or ?limit=1000 changes these limits; with "Accept: text/event-stream" the stream does not end`;
  }

  #decided(record: string): void {
    if (this.#response.writableEnded) return;
    this.#count++;
    this.#send(`data: ${record}\n\n`);
    if (this.#count === this.#limits.limit) this.#end();
  }

  /** Frees the reader's place at once, whether the reader takes the rest or not. */
  #end(): void {
    this.#stop();
    this.#response.end(`: the end, after ${this.#count} decisions\n\n`);
    const late = setTimeout(() => this.#response.destroy(), HEARTBEAT);
    this.#response.once('close', () => clearTimeout(late));
  }

  #send(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#response.writableLength > BUFFER) this.#response.destroy();
    else this.#response.write(text);
  }
}
