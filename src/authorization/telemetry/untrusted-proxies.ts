import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { plainAddress } from '../../base/client-address.ts';
import type { Clock } from '../../base/clock.ts';
import type { TrustedProxies } from '../../base/forwarded-for.ts';
import { LoggedProxies } from '../../base/logged-proxies.ts';
import { namesClients } from '../../base/names-client.ts';

/** Where failures are counted by address, all clients of a proxy that no file trusts are one. */
export class UntrustedProxies {
  readonly #proxies: LoggedProxies;

  constructor(clock: Clock, log: Pick<Logger, 'warn'>) {
    this.#proxies = new LoggedProxies(clock, log);
  }

  /** Each as `trusted_proxies` may name it. */
  get addresses(): Iterable<string> {
    return this.#proxies.addresses;
  }

  /** Before headers are removed. */
  look({ rawHeaders, socket }: IncomingMessage, trusted: TrustedProxies): void {
    if (!namesClients(rawHeaders)) return;
    const address = plainAddress(socket.remoteAddress).replace(/%.*$/, '');
    if (address !== '' && !trusted.includes(address)) this.#proxies.meet({ address }, AS_PROXY);
  }
}

const AS_PROXY =
  'a peer sends proxy headers but is not in `trusted_proxies`: all its clients count as one address. If it is your proxy, add it';
