import type { Counters } from '../../counters/counters.ts';
import { addressBlocks } from '../../counters/throttle.ts';

/** Milliseconds. */
const MINUTE = 60_000;

/**
 * Requests in a minute. Anyone can name any URL, so one address must not make the service flood a host. The limit of a host is
 * much higher, so that a stranger with a few addresses cannot use it up.
 */
const MOST = { address: 20, host: 600 } as const;

/** Requests at the same time: of all hosts, and of one host that does not answer. */
const AT_ONCE = { all: 256, host: 8 } as const;

/** The seconds that `within` returns if too many requests run at the same time. */
const SOON = 5;

/** Limits the requests that strangers cause. */
export class FetchLimits {
  readonly #counters: Pick<Counters, 'take'>;
  readonly #running = new Map<string, number>();
  #all = 0;

  constructor(counters: Pick<Counters, 'take'>) {
    this.#counters = counters;
  }

  /** The result of `work`, or the seconds to wait. */
  async within<Result>(
    { host, address }: { readonly host: string; readonly address: string },
    work: () => Promise<Result>,
  ): Promise<Result | number> {
    const running = this.#running.get(host) ?? 0;
    if (this.#all >= AT_ONCE.all || running >= AT_ONCE.host) return SOON;
    this.#begin(host);
    try {
      const wait = (await this.#takeAddress(address)) || (await this.#take('host', host, MOST.host));
      return wait > 0 ? Math.ceil(wait / 1000) : await work();
    } finally {
      this.#end(host);
    }
  }

  /** A network with many IPv6 blocks of 64 bits may cause only as many requests as a few addresses may. */
  async #takeAddress(address: string): Promise<number> {
    for (const { block, times } of addressBlocks(address)) {
      const wait = await this.#take('address', `${block.length}:${block}`, MOST.address * times);
      if (wait > 0) return wait;
    }
    return 0;
  }

  #take(of: keyof typeof MOST, whom: string, requests: number) {
    return this.#counters.take(`document\n${of}\n${whom}`, { requests, window: MINUTE });
  }

  #begin(host: string): void {
    this.#all++;
    this.#running.set(host, (this.#running.get(host) ?? 0) + 1);
  }

  #end(host: string): void {
    this.#all--;
    const left = (this.#running.get(host) ?? 1) - 1;
    if (left === 0) this.#running.delete(host);
    else this.#running.set(host, left);
  }
}
