/** Fields that frame a message or belong to one connection (RFC 9110 §7.6.1, RFC 9112 §6). */
export const framingFields = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
];

/** RFC 9110 §5.6.2. */
export function isToken(name: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name);
}

/** True if any message may have a header of this name. */
export function isHeaderName(name: string): boolean {
  return isToken(name) && !framingFields.includes(name.toLowerCase());
}

/** Headers that frame a message, belong to one connection, or have a meaning for every server. */
export const namesWithMeaning: readonly string[] = [
  ...framingFields,
  'content-type',
  'content-encoding',
  'proxy-authorization',
  'proxy-authenticate',
  'http2-settings',
  'authorization',
  'cookie',
  'date',
  'via',
  'range',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
];
