import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import { LogLimiter } from './log-limiter.ts';
import { MostOften } from './most-often.ts';

/** Addresses that are remembered; a stranger may have any number of them. */
const MOST = 16;

/**
 * Peers that name their clients as a proxy does, and that no file trusts. Any client can say that it is a proxy: so those
 * are kept that came most often, and they are named in the line of what was left out, where strangers had all the others.
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

  /** Each as `trusted_proxies` may name it. */
  get addresses(): Iterable<string> {
    return this.#met.keys();
  }

  /** `of`: where it came to notice, if that is more than one place. */
  meet(facts: { readonly address: string; readonly of?: string; readonly proxy?: true }, words: string): void {
    const { address, of = '' } = facts;
    this.#met.meet(address);
    if (this.#lines.isDue(`${of} ${address}`)) this.#log.warn(facts, words);
  }
}

const LEFT_OUT =
  'more requests with proxy headers came from other addresses in the last hour; `addresses` lists the most frequent';
