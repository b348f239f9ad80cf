import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseHead } from '../../../base/refuse-head.ts';
import { NO_TOTALS, type Totals } from '../../telemetry/result.ts';
import { sendError } from '../api-error.ts';
import { parseFilter } from './filter.ts';
import type { LiveHub, LiveMessage, LiveViewer, LiveWish } from './hub.ts';
import type { ReplicaState } from './replica.ts';

/** Bytes that may wait for one viewer. More decisions are left out and counted. */
const BUFFER = 256 * 1024;
/** A viewer that takes nothing for this many milliseconds has gone. */
const PATIENCE = 60_000;
const MOST_VIEWERS = 32;
/** Milliseconds. A write detects a dead connection. */
const HEARTBEAT = 15_000;

/** What a viewer learns first. */
export interface LiveGreeting {
  /** The gateway whose decisions the stream has. */
  readonly gateway: string;
  readonly workers: number;
  /** Other gateways whose decisions the stream also has. */
  readonly replicas: readonly ReplicaState[];
}

/**
 * `GET /api/decisions`: an event stream (WHATWG HTML §9.2) with one JSON object for each batch of decisions. A reader that does not
 * accept `text/event-stream` gets the kept decisions as JSON. `filter`: as `parseFilter` reads it. `since`: an id of an earlier message.
 */
export function streamLive(app: FastifyInstance, hub: LiveHub, greeting: () => LiveGreeting): void {
  refuseHead(app, '/api/decisions');
  app.get('/api/decisions', { exposeHeadRoute: false }, (request, reply) => {
    const wish = wishOf(request);
    const parsed = parseFilter(wish.filter);
    if (!parsed.ok) return sendError(reply, 400, parsed.fault);
    const greet = () => JSON.stringify({ ...greeting(), epoch: hub.epoch });
    if (!request.headers.accept?.includes('text/event-stream'))
      return reply
        .type('application/json')
        .send(`${greet().slice(0, -1)},"decisions":[${hub.recent(wish).join(',')}]}`);
    if (hub.viewers >= MOST_VIEWERS) return sendError(reply, 503, 'too many viewers watch already');
    reply.hijack();
    new Stream(reply.raw, greet).open((viewer) => hub.open(wish, viewer));
    return reply;
  });
}

function wishOf({ query, headers }: FastifyRequest): LiveWish {
  const { filter, since, own } = query as Readonly<Record<string, unknown>>;
  const last = headers['last-event-id'] ?? since;
  return {
    filter: typeof filter === 'string' ? filter : '',
    since: typeof last === 'string' ? last : undefined,
    own: own === 'true',
  };
}

class Stream implements LiveViewer {
  readonly #response: ServerResponse;
  readonly #greeting: () => string;
  /** Decisions that were left out because the viewer reads too slowly. */
  #slow = 0;
  #totals = NO_TOTALS;
  /** The rest of the replay. */
  readonly #waiting: LiveMessage[] = [];
  #isReplaying = true;
  #since = Date.now();

  constructor(response: ServerResponse, greeting: () => string) {
    this.#response = response;
    this.#greeting = greeting;
  }

  open(join: (viewer: LiveViewer) => () => void): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.greet();
    const leave = join(this);
    this.#drain();
    this.#response.on('drain', () => this.#drain());
    const heartbeat = setInterval(() => this.#beat(), HEARTBEAT);
    this.#response.on('error', () => {});
    this.#response.on('close', () => {
      clearInterval(heartbeat);
      leave();
    });
  }

  greet(): void {
    if (this.#response.writableLength > BUFFER) return;
    this.#response.write(`event: hello\ndata: ${this.#greeting()}\n\n`);
  }

  take(message: LiveMessage): void {
    this.#totals = sumOf(this.#totals, message.totals);
    const isFull = this.#waiting.length > 0 || this.#response.writableLength > BUFFER;
    if (!isFull) this.#write(message);
    else if (this.#isReplaying) this.#waiting.push(message);
    else this.#slow += message.records.length + message.left;
  }

  /** The kept decisions are already in memory. They leave as fast as the viewer reads. */
  #drain(): void {
    while (this.#waiting.length > 0 && this.#response.writableLength <= BUFFER)
      this.#write(this.#waiting.shift() as LiveMessage);
    if (this.#waiting.length === 0) this.#isReplaying = false;
  }

  #write({ id, records, left }: LiveMessage): void {
    const rest = JSON.stringify({ left, slow: this.#slow, totals: this.#totals }).slice(1);
    this.#slow = 0;
    this.#totals = NO_TOTALS;
    this.#since = Date.now();
    this.#response.write(`id: ${id}\ndata: {"decisions":[${records.join(',')}],${rest}\n\n`);
  }

  #beat(): void {
    if (this.#response.writableLength <= BUFFER) this.#response.write(':\n\n');
    else if (Date.now() - this.#since > PATIENCE) this.#response.destroy();
  }
}

function sumOf(one: Totals, other: Totals): Totals {
  return {
    passed: one.passed + other.passed,
    refused: one.refused + other.refused,
    failed: one.failed + other.failed,
  };
}
