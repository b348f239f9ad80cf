import { isIP } from 'node:net';
import { addressList } from './cidr.ts';

/** The trusted proxies. */
export interface TrustedProxies {
  includes(address: string): boolean;
  /**
   * The client and the trusted proxies after it, from the lines of X-Forwarded-For. Read from the right, because the next proxy
   * wrote each address (advisory 13). A hop without an address ends the trusted part.
   */
  believed(lines: readonly string[]): readonly string[];
}

export function parseTrustedProxies(cidrs: readonly string[]): TrustedProxies {
  const list = addressList(cidrs);
  const includes = (address: string) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
  return { includes, believed: (lines) => believed(includes, hopsOf(lines)) };
}

/** Lazy, from the right: a client may have written a hundred thousand hops. */
function* hopsOf(lines: readonly string[]): Generator<string | undefined> {
  for (const line of lines.toReversed()) {
    for (let end = line.length; end >= 0; ) {
      const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
      yield hopAddress(line.slice(comma + 1, end).trim());
      end = comma;
    }
  }
}

function believed(isTrusted: (address: string) => boolean, hops: Iterable<string | undefined>): readonly string[] {
  const nearestFirst: string[] = [];
  for (const hop of hops) {
    if (hop === undefined) break;
    nearestFirst.push(hop);
    if (!isTrusted(hop)) break;
  }
  return nearestFirst.reverse();
}

/** The address of one hop; undefined if it has none. Some proxies also write the port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
export function hopAddress(hop: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+)(?::\d+)?)$/.exec(hop) ?? [undefined, undefined, hop];
  const address = bracketed ?? plain ?? hop;
  return isIP(address) !== 0 && !address.includes('%') ? address : undefined;
}
