/** How a reader read a request that it served. */
export interface Served {
  readonly host: string;
  /** The value of X-Env; empty: none. */
  readonly env: string;
  /** The value of the query parameter `op`, percent-encoded; empty: none. */
  readonly op: string;
  /** Decoded and normalized by the reader; one character an octet. */
  readonly path: string;
}

/** As the programs of `readers/` write it. The path comes last, because it may contain line breaks. */
export function servedFrom(body: string): Served | undefined {
  const [, host, env, op, path] = /^([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$/s.exec(body) ?? [];
  return host === undefined || env === undefined || op === undefined || path === undefined
    ? undefined
    : { host, env, op, path };
}

/** The octets that a path may contain unencoded (RFC 3986 §3.3). */
const PATH = /[^A-Za-z0-9._~!$&'()*+,;=:@/-]/g;

/** A path in plain spelling: only what a request line cannot contain is percent-encoded. */
export function plainSpelling(path: string): string {
  return path.replace(PATH, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** The octets of a percent-encoded text. */
export function octets(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
