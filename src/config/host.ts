import { isIP } from 'node:net';

/** A host as it is compared: lower case, without port and trailing dot; undefined where it is not a host. */
export function normalizeHost(text: string): string | undefined {
  const [, bracketed, name, port] = /^(?:(\[[0-9A-Fa-f:.]+\])|([^:[\]]+))(?::([0-9]{0,5}))?$/.exec(text) ?? [];
  if (Number(port ?? 0) > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed.slice(1, -1)) === 6 ? bracketed.toLowerCase() : undefined;
  const host = name?.toLowerCase().replace(/\.$/, '');
  return host !== undefined && host.length <= 253 && host.split('.').every(isLabel) ? host : undefined;
}

/** RFC 1123 §2.1, and the underscore that container networks use. */
function isLabel(label: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
}

/** Whether only this machine can reach or be reached by the host. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    bare === 'localhost' ||
    bare.endsWith('.localhost') ||
    bare === '::1' ||
    (isIP(bare) === 4 && bare.startsWith('127.'))
  );
}
