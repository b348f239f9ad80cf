import type { Server } from 'node:net';
import type { Logger } from 'pino';

/** Milliseconds between two lines about the same listener. */
const MINUTE = 60_000;

interface Refused {
  total: number;
  untold: number;
  /** Present: the last line is not a minute old. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Connections that a listener refused because of its limit. Node.js closes such a connection without an answer, so only these
 * counts and log lines show the reason. Clients can cause refusals without end, so each listener has at most one line a minute.
 */
export class RefusedConnections {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #every: number;
  readonly #listeners = new Map<string, Refused>();

  /** @param every milliseconds between two lines */
  constructor(log: Pick<Logger, 'warn'>, every = MINUTE) {
    this.#log = log;
    this.#every = every;
  }

  /** Listener → its refused connections since the start. */
  *counts(): Iterable<readonly [listener: string, count: number]> {
    for (const [listener, { total }] of this.#listeners) yield [listener, total];
  }

  /** Hears of the connections that Node.js refuses. `reached`: the limit, in words. */
  watch(server: Server, listener: string, reached: () => string): void {
    this.#of(listener);
    server.on('drop', () => this.refuse(listener, reached));
  }

  refuse(listener: string, reached: () => string): void {
    const refused = this.#of(listener);
    refused.total++;
    refused.untold++;
    if (refused.timer === undefined) this.#tell(listener, refused, reached);
  }

  #of(listener: string): Refused {
    const known = this.#listeners.get(listener) ?? { total: 0, untold: 0, timer: undefined };
    this.#listeners.set(listener, known);
    return known;
  }

  #tell(listener: string, refused: Refused, reached: () => string): void {
    const { untold: count } = refused;
    refused.untold = 0;
    refused.timer = count === 0 ? undefined : this.#later(() => this.#tell(listener, refused, reached));
    const what = count === 1 ? '1 connection' : `${count} connections`;
    if (count > 0) this.#log.warn({ listener, count }, `refused ${what}: ${reached()}`);
  }

  #later(tell: () => void): NodeJS.Timeout {
    return setTimeout(tell, this.#every).unref();
  }
}

/** The limit of a listener whose number of connections only the open files limit. */
export function fileLimitInWords(room: number): string {
  return `the limit of open files allows only ${room} connections at a time`;
}
