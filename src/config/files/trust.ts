import type { FileContext } from './referred-file.ts';
import { readTls } from './tls-files.ts';

/**
 * Who may vouch for a server. `only`: the authorities of one file and nobody else, as curl, nginx and Envoy take such a
 * file; who wants the public ones too puts them into it.
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
