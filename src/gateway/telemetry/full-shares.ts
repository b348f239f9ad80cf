import type { Logger } from 'pino';
import { blockName } from '../../base/client-address.ts';
import type { Clock } from '../../base/clock.ts';
import { LogLimiter } from '../../base/log-limiter.ts';
import { LoggedProxies } from '../../base/logged-proxies.ts';
import { namesClients } from '../../base/names-client.ts';
import type { RequestHead } from '../message/request-head.ts';

/**
 * Client addresses that came to the end of their share. To one that is a proxy all of its clients are one, so it is named
 * with what to do about it. Proxies take no place of other addresses.
 */
export class FullShares {
  /** What was shared → how often. */
  readonly counts = new Map<string, number>();
  readonly #proxies: LoggedProxies;
  readonly #clients: LogLimiter;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(clock: Clock, log: Pick<Logger, 'warn'>) {
    this.#log = log;
    this.#proxies = new LoggedProxies(clock, log);
    this.#clients = new LogLimiter(clock, (count) => log.warn({ count, proxy: false }, LEFT_OUT));
  }

  /** Those that name an address they forward for, and that no file trusts; each as `trusted_proxies` may name it. */
  get proxies(): Iterable<string> {
    return this.#proxies.addresses;
  }

  /** `of`: the name in the file, `upstreams.api` or `limits`. */
  met(of: string, head: Pick<RequestHead, 'origin' | 'fields'>): void {
    this.counts.set(of, (this.counts.get(of) ?? 0) + 1);
    if (isProxy(head)) this.#meet(of, head, AS_PROXY);
    else this.#tell({ address: blockName(head.origin.address), of, proxy: false });
  }

  /** A request was rejected because its address reached a limit. `by`: the limit's name in the file. */
  refused(by: 'login' | 'rate_limit', head: Pick<RequestHead, 'origin' | 'fields'>): void {
    if (isProxy(head)) this.#meet(by, head, AS_REFUSED);
  }

  #meet(of: string, { origin }: Pick<RequestHead, 'origin'>, words: string): void {
    this.#proxies.meet({ address: asTrusted(origin), of, proxy: true }, words);
  }

  #tell(client: { readonly address: string; readonly of: string; readonly proxy: false }): void {
    if (this.#clients.isDue(`${client.of} ${client.address}`)) this.#log.warn(client, AS_CLIENT);
  }
}

function isProxy({ origin, fields }: Pick<RequestHead, 'origin' | 'fields'>): boolean {
  return !origin.isProxied && namesClients(fields);
}

/** What is trusted is an address, even where the share is that of its /64; without the zone, which no file can name. */
function asTrusted({ address }: RequestHead['origin']): string {
  return address.replace(/%.*$/, '');
}

const AS_PROXY =
  'an address that says it is a proxy has all of its share, and its clients count as one: if it is yours, name it in `trusted_proxies`, or write `limits.share: 1`';
const AS_REFUSED =
  'an address that says it is a proxy is refused, since its clients count as one: if it is yours, name it in `trusted_proxies`';
const AS_CLIENT =
  'a client address has all of its share, and its next requests wait or are refused: where many clients have one address, raise `limits.share`';
const LEFT_OUT =
  'so many requests of other client addresses that had all of their share came in the hour before, and are not told';
