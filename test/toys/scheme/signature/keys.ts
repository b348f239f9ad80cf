import { type FileContext, readReferred } from '../../../../src/config/files/referred-file.ts';

/** Key → its secret. Undefined: the file is not readable. */
export function readKeys(path: string, place: FileContext): ReadonlyMap<string, string> | undefined {
  const read = readReferred(path, place);
  if (!read.ok) return undefined;
  const lines = read.bytes.toString().split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}
