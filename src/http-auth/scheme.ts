/** `auth-scheme`, and the text after it (RFC 9110 §11.4). */
export interface Credentials {
  /** Lower case, because scheme names are case-insensitive (RFC 9110 §11.1). */
  readonly scheme: string;
  /** Token68 or auth-params. Empty: there is nothing. */
  readonly rest: string;
}

const SCHEME = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +|$)/;

/** Undefined: there is no scheme name, so there are no credentials of any scheme. */
export function splitCredentials(authorization: string): Credentials | undefined {
  const found = SCHEME.exec(authorization);
  if (found === null) return undefined;
  const [begin, scheme = ''] = found;
  return { scheme: scheme.toLowerCase(), rest: authorization.slice(begin.length) };
}
