/**
 * With these headers, some frameworks change the path or the method of the request. No standard defines them, so only a client
 * sends them.
 */
export const overrideHeaders = [
  'X-Original-URL',
  'X-Original-URI',
  'X-Rewrite-URL',
  'X-Override-URL',
  'X-HTTP-Path-Override',
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Original-Method',
] as const;

export type OverrideHeader = (typeof overrideHeaders)[number];
