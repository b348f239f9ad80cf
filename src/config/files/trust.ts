import type { FileContext } from './referred-file.ts';
import { readTls } from './tls-files.ts';

/**
 * The authorities that may certify a server. `only`: exactly the authorities of one file, as in curl, nginx and Envoy. To trust
 * the public authorities too, add them to the file.
 */
export type Trust =
  | { readonly kind: 'system' }
  | { readonly kind: 'only'; readonly pem: string }
  /**
   * The file has become invalid since it was checked. Without this case, a library would fall back to its default authorities.
   */
  | { readonly kind: 'none' };

/** Reads the file of `tls` in its current state. */
export function trustOf({ tls }: { readonly tls?: { readonly ca: string } }, place: FileContext): Trust {
  if (tls === undefined) return { kind: 'system' };
  const read = readTls({ ca: tls.ca }, place);
  const ca = read.ok ? read.pem.ca : undefined;
  return ca === undefined ? { kind: 'none' } : { kind: 'only', pem: ca.toString('latin1') };
}
