import { parseParameters } from './parameters.ts';

/** The server's proof after correct credentials (RFC 7615, RFC 7616 §3.5). */
export interface ServerInfo {
  /** Lower case. */
  readonly rspauth: string | undefined;
  readonly nextnonce: string | undefined;
}

/** Reads the value of an Authentication-Info field. Undefined: it is not a list of parameters. */
export function parseAuthenticationInfo(value: string): ServerInfo | undefined {
  const parsed = parseParameters(value);
  if (parsed.kind === 'malformed') return undefined;
  return { rspauth: parsed.values.get('rspauth')?.toLowerCase(), nextnonce: parsed.values.get('nextnonce') };
}
