import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a host. Rejects if there are none. */
export type FindAddresses = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Milliseconds for the first of two questions. */
const TIMEOUT = 1_500;

/**
 * A client may control the DNS server of its host, and this server may never answer. A lookup by the system then occupies a
 * thread for ten seconds, and two of these stop every lookup of the process. So DNS is asked without threads. The system looks
 * up only names that DNS does not know, such as those of the hosts file, and only one at a time. `servers`: instead of those
 * of the system.
 */
export function addressFinder(servers?: readonly string[]): FindAddresses {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const [shortName, otherName] = [oneAtATime(lookupAll), oneAtATime(lookupAll)];
  return async (hostname) => {
    // A short name needs the search domains of the system. No one outside of them can own such a name.
    if (!hostname.includes('.')) return shortName(hostname);
    const { addresses, isLate } = await askDns(resolver, hostname);
    if (addresses.length > 0) return addresses;
    if (isLate) throw new Error(`the DNS lookup of ${hostname} got no answer in time`);
    return otherName(hostname);
  };
}

function lookupAll(hostname: string): Promise<readonly LookupAddress[]> {
  return lookup(hostname, { all: true });
}

async function askDns(resolver: Resolver, hostname: string) {
  const asked = [
    resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
  ];
  const answers = await Promise.allSettled(asked);
  return {
    addresses: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
    isLate: answers.some((answer) => answer.status === 'rejected' && answer.reason.code === 'ETIMEOUT'),
  };
}

/** Strangers can name any host. A request that waits for too long has ended anyway. */
const MOST_WAITING = 1_000;

function oneAtATime<Value>(work: (name: string) => Promise<Value>): (name: string) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (name) => {
    if (waiting >= MOST_WAITING) throw new Error('too many hostnames wait for a lookup by the system');
    waiting++;
    const next = last.then(() => work(name)).finally(() => waiting--);
    last = next.catch(() => {});
    return next;
  };
}
