import { isLoopback } from '../../config/words/host.ts';

/** Where an application gets its answer: a web host, a program on this device (RFC 8252 §7.3), or an app (§7.1). */
export interface Redirect {
  readonly kind: 'web' | 'loopback' | 'app';
  /** The host with port, or the scheme. Never the part before an `@`, because anyone may write that. */
  readonly where: string;
}

export function readRedirect(uri: string): Redirect {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined) return { kind: 'web', where: uri };
  if (!/^https?:$/.test(url.protocol)) return { kind: 'app', where: url.protocol.slice(0, -1) };
  return { kind: isLoopback(url.hostname) ? 'loopback' : 'web', where: url.host };
}

/**
 * The source expression (CSP 3 §2.3.1) that lets the answer of a form redirect to the address. It is the scheme, because the
 * origin would be too narrow. Browsers also apply it to each further redirect of the application, so a user who has just
 * allowed access would see a dead page. The grammar also lacks IPv6 hosts. `http:` includes `https:`.
 */
export function formActionSource(uri: string): string | undefined {
  const protocol = URL.canParse(uri) ? new URL(uri).protocol : '';
  return /^[a-z][a-z0-9+.-]*:$/.test(protocol) && !local.has(protocol) ? protocol : undefined;
}

/** Schemes that the browser handles itself, so no application receives them. */
const local = new Set(['about:', 'blob:', 'data:', 'file:', 'javascript:', 'vbscript:']);
