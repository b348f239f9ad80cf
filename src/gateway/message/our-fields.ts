/** RFC 9110 §7.6.1, and the fields that we write anew for our own connection to the upstream. */
export const OURS: ReadonlySet<string> = new Set([
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
  'x-real-ip',
]);
