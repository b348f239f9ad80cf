import type { Logger } from 'pino';
import { blockName } from '../../base/client-address.ts';
import type { Clock } from '../../base/clock.ts';
import { LogLimiter } from '../../base/log-limiter.ts';
import { LoggedProxies } from '../../base/logged-proxies.ts';
import { namesClients } from '../../base/names-client.ts';
import type { RequestHead } from '../message/request-head.ts';

/**
 * Client addresses that used their whole share. A proxy that is not trusted shares one address among all its clients,
 * so the log names the proxy and the remedy. Proxies do not use up the log's limit for other addresses.
 */
export class FullShares {
  /** The shared resource → how often a share of it was full. */
  readonly counts = new Map<string, number>();
  readonly #proxies: LoggedProxies;
  readonly #clients: LogLimiter;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(clock: Clock, log: Pick<Logger, 'warn'>) {
    this.#log = log;
    this.#proxies = new LoggedProxies(clock, log);
    this.#clients = new LogLimiter(clock, (count) => log.warn({ count, proxy: false }, LEFT_OUT));
  }

  /** Untrusted peers that send forwarding headers. Each address has the form that `trusted_proxies` accepts. */
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

/**
 * `trusted_proxies` needs the address itself, even if the share belongs to its /64. A file cannot contain the zone, so
 * it is removed.
 */
function asTrusted({ address }: RequestHead['origin']): string {
  return address.replace(/%.*$/, '');
}

const AS_PROXY =
  'an address that sends forwarding headers uses its whole share, because all its clients count as one: if it is your proxy, add it to `trusted_proxies`, or set `limits.share: 1`';
const AS_REFUSED =
  'an address that sends forwarding headers is refused, because all its clients count as one: if it is your proxy, add it to `trusted_proxies`';
const AS_CLIENT =
  'a client address uses its whole share, so its next requests wait or are refused: if many clients share this address, raise `limits.share`';
const LEFT_OUT =
  'in the last hour, other client addresses also used their whole share; the log does not show their requests, and `count` is the number of these requests';
