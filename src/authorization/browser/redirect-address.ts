import { isSelfMade, type RegisteredClient } from '../clients/registered-client.ts';

/**
 * Compares byte by byte (RFC 9700 §4.1.3), except for the port of a loopback address, which the system assigns to a native app
 * (RFC 8252 §7.3). `localhost` is a name, not an address: it may lead to another machine (§8.3).
 */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  return registered.includes(requested) || isOfAnyPort(loopbackAddress, requested, registered);
}

/**
 * Clients that describe themselves publish `http://localhost/callback`, and listen on the port that the system assigns.
 * The floating port leads to no other host than the registered address.
 */
export function isAddressOf(client: RegisteredClient, requested: string): boolean {
  const { redirectUris } = client;
  return (
    isRegistered(requested, redirectUris) || (isSelfMade(client) && isOfAnyPort(localName, requested, redirectUris))
  );
}

const loopbackAddress = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?((?:[/?].*)?)$/s;
const localName = /^(http:\/\/localhost)(?::([0-9]{1,5}))?((?:[/?].*)?)$/s;

function isOfAnyPort(grammar: RegExp, requested: string, registered: readonly string[]): boolean {
  const address = withoutPort(grammar, requested);
  return address !== undefined && registered.some((uri) => withoutPort(grammar, uri) === address);
}

function withoutPort(grammar: RegExp, uri: string): string | undefined {
  const [, host, port = '80', rest] = grammar.exec(uri) ?? [];
  return host === undefined || Number(port) > 65_535 ? undefined : `${host}${rest}`;
}
