/** Hop-by-hop fields (RFC 9110 §7.6.1), and fields that frame a message. */
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

/** Fields that the gateway sets for its own connection to the upstream, and fields that only a proxy may send. */
export const OURS: ReadonlySet<string> = new Set([...OF_HOP, 'x-real-ip']);
