import { isIP } from 'node:net';

/** A host in its form for comparison: lower case, without port and trailing dot; undefined if the text is not a host. */
export function normalizeHost(text: string): string | undefined {
  const [, bracketed, name, port] = /^(?:(\[[0-9A-Fa-f:.]+\])|([^:[\]]+))(?::([0-9]{0,5}))?$/.exec(text) ?? [];
  if (Number(port ?? 0) > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed.slice(1, -1)) === 6 ? canonicalAddress(bracketed) : undefined;
  const host = name?.toLowerCase().replace(/\.$/, '');
  return host !== undefined && host.length <= 253 && isName(host) ? host : undefined;
}

/**
 * A host whose last label is a number must be an IPv4 address, and only one spelling is accepted: URL parsers read
 * `127.1` as `127.0.0.1`.
 */
function isName(host: string): boolean {
  const labels = host.split('.');
  return labels.every(isLabel) && (!/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) as string) || isIP(host) === 4);
}

/** The canonical spelling of an IPv6 address (RFC 5952 §4). */
function canonicalAddress(bracketed: string): string {
  return new URL(`http://${bracketed}`).hostname;
}

/** RFC 1123 §2.1, and the underscore that container networks use. */
function isLabel(label: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
}

/** True if the host is this machine itself, on loopback. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    bare === 'localhost' ||
    bare.endsWith('.localhost') ||
    bare === '::1' ||
    (isIP(bare) === 4 && bare.startsWith('127.'))
  );
}
