import type { FileContext } from '../files/referred-file.ts';
import { readTls, type TlsPaths } from '../files/tls-files.ts';
import type { Finding, Pointer } from '../words/problem.ts';

/** Faults in the files of one `tls` block. */
export function tlsFileFaults(at: Pointer, tls: TlsPaths | undefined, place: FileContext): readonly Finding[] {
  const read = tls && readTls(tls, place);
  if (read === undefined || read.ok) return [];
  return read.faults.map(({ key, ...fault }) => ({ pointer: [...at, key], ...fault }));
}
