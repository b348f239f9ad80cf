import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { plainAddress } from '../../base/client-address.ts';
import type { Clock } from '../../base/clock.ts';
import type { TrustedProxies } from '../../base/forwarded-for.ts';
import { LoggedProxies } from '../../base/logged-proxies.ts';
import { namesClients } from '../../base/names-client.ts';

/** Finds proxies that no file trusts. Failures count by address, so all clients of such a proxy count as one. */
export class UntrustedProxies {
  readonly #proxies: LoggedProxies;

  constructor(clock: Clock, log: Pick<Logger, 'warn'>) {
    this.#proxies = new LoggedProxies(clock, log);
  }

  /** Each address in the form that `trusted_proxies` accepts. */
  get addresses(): Iterable<string> {
    return this.#proxies.addresses;
  }

  /** Call it before headers are removed. */
  look({ rawHeaders, socket }: IncomingMessage, trusted: TrustedProxies): void {
    if (!namesClients(rawHeaders)) return;
    const address = plainAddress(socket.remoteAddress).replace(/%.*$/, '');
    if (address !== '' && !trusted.includes(address)) this.#proxies.meet({ address }, AS_PROXY);
  }
}

const AS_PROXY =
  'a peer sends proxy headers but is not in `trusted_proxies`: all its clients count as one address. If the peer is your proxy, add its address to `trusted_proxies`';
