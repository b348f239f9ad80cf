/**
 * Compares byte by byte (RFC 9700 §4.1.3), except for the port of a loopback address, which the system assigns to a native app
 * (RFC 8252 §7.3). `localhost` is a name, not an address: it may lead to another machine (§8.3).
 */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const loopback = withoutPort(requested);
  return loopback !== undefined && registered.some((uri) => withoutPort(uri) === loopback);
}

const loopbackAddress = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?((?:[/?].*)?)$/s;

function withoutPort(uri: string): string | undefined {
  const [, host, port = '80', rest] = loopbackAddress.exec(uri) ?? [];
  return host === undefined || Number(port) > 65_535 ? undefined : `${host}${rest}`;
}
