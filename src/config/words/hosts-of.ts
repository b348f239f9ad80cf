import { isLoopback, normalizeHost } from './host.ts';

/**
 * Whether a Host, with or without a port, names a listener at that address. On loopback only a name of loopback does. In
 * front of others the names are not ours to know: a probe asks by the address of the pod, a scraper by the name of a
 * service.
 */
export function hostsOf(address: string): (host: string) => boolean {
  return isLoopback(address) ? (host) => isLoopback(normalizeHost(host) ?? '') : () => true;
}
