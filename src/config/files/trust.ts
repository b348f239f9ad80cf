import type { FileContext } from './referred-file.ts';
import { readTls } from './tls-files.ts';

/**
 * The authorities that may certify a server. `only`: those of one file and no others, as curl, nginx and Envoy read such a
 * file. To trust the public ones too, add them to the file.
 */
export type Trust =
  | { readonly kind: 'system' }
  | { readonly kind: 'only'; readonly pem: string }
  /** The file went bad since it was checked: without it a library would fall back to whom it knows. */
  | { readonly kind: 'nobody' };

/** As the file of `tls` says now. */
export function trustOf({ tls }: { readonly tls?: { readonly ca: string } }, place: FileContext): Trust {
  if (tls === undefined) return { kind: 'system' };
  const read = readTls({ ca: tls.ca }, place);
  const ca = read.ok ? read.pem.ca : undefined;
  return ca === undefined ? { kind: 'nobody' } : { kind: 'only', pem: ca.toString('latin1') };
}
