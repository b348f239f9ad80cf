import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { LogLimiter } from './log-limiter.ts';
import { MostOften } from './most-often.ts';

/** The number of remembered addresses. A stranger may have any number of them. */
const MOST = 16;

/**
 * Peers that send proxy headers, although no file trusts them. Any client can send such headers, so the most frequent peers are
 * kept. If strangers have used all log lines, the next line about skipped lines names these peers.
 */
export class LoggedProxies {
  readonly #met = new MostOften(MOST);
  readonly #log: Pick<Logger, 'warn'>;
  readonly #lines: LogLimiter;

  constructor(clock: Clock, log: Pick<Logger, 'warn'>) {
    this.#log = log;
    this.#lines = new LogLimiter(clock, (count) =>
      log.warn({ count, proxy: true, addresses: [...this.addresses] }, LEFT_OUT),
    );
  }

  /** Each address in the form that `trusted_proxies` accepts. */
  get addresses(): Iterable<string> {
    return this.#met.keys();
  }

  /** `of`: the place where the peer was noticed, if there are several. */
  meet(facts: { readonly address: string; readonly of?: string; readonly proxy?: true }, words: string): void {
    const { address, of = '' } = facts;
    this.#met.meet(address);
    if (this.#lines.isDue(`${of} ${address}`)) this.#log.warn(facts, words);
  }
}

const LEFT_OUT =
  'more requests with proxy headers came from other addresses in the last hour; `addresses` lists the most frequent';
