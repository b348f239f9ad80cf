import type { Address } from '../../config/words/schema.ts';

const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of a plain listener of the file, for a command on the same machine. */
export function listenerUrl({ host, port }: Address, path: string): string {
  const name = EVERY_ADDRESS[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`;
}
