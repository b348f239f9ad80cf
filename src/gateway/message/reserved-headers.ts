/** Of one connection (RFC 9110 §7.6.1), with what frames a message on it. */
export const OF_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'host',
  'content-length',
]);

/** What we write for our own connection to the upstream, and what only a proxy may say of the one before it. */
export const OURS: ReadonlySet<string> = new Set([...OF_HOP, 'x-real-ip']);
