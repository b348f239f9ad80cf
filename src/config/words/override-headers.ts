/**
 * By these some frameworks act on another path or method than that of the request. No standard has them, so a client is
 * the only one who could mean something by them.
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
