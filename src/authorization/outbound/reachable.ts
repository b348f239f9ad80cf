import { isIP } from 'node:net';
import { addressList } from '../../base/cidr.ts';

/** The only IPv6 addresses that the Internet routes (RFC 4291 §2.4, IANA IPv6 Global Unicast Address Space). */
const global6 = addressList(['2000::/3']);

/**
 * Addresses with a special purpose (IANA registries, RFC 6890): this host, private networks, carriers' networks, link-local,
 * documentation, benchmarks, multicast and reserved. IPv6: tunnels that contain an IPv4 address, and documentation.
 */
const special = addressList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

/** True if the service may connect to the address. */
export type IsReachable = (address: string) => boolean;

/** Public addresses, and the private ones of the configuration. An address with a zone (`%`) is local, so never public. */
export function reachableBy(privateAddresses: readonly string[]): IsReachable {
  const allowed = addressList(privateAddresses);
  return (address) => {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (allowed.check(address, family)) return true;
    return !special.check(address, family) && (version === 4 || global6.check(address, family));
  };
}
