import { isLoopback, normalizeHost } from './host.ts';

/**
 * True if a Host, with or without a port, names a listener at this address. On loopback, only a loopback name counts.
 * Other listeners accept any name: a probe uses the address of the pod, and a scraper uses the name of a service.
 */
export function hostsOf(address: string): (host: string) => boolean {
  return isLoopback(address) ? (host) => isLoopback(normalizeHost(host) ?? '') : () => true;
}
