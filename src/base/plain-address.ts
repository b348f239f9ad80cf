/** An IPv4 peer of a dual-stack listener is an IPv4 peer. */
export function plainAddress(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
