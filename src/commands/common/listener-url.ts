import type { Address } from '../../config/words/schema.ts';

/** A listener of the file that a command on the same machine asks. */
export interface AskedListener extends Address {
  /** The files of its certificate. Undefined: the listener is plain. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of a listener of the file, for a command on the same machine. */
export function listenerUrl({ host, port, tls }: AskedListener, path: string): string {
  const name = EVERY_ADDRESS[host] ?? host;
  return `${tls === undefined ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}${path}`;
}
