import { resolve } from 'node:path';
import { secretFileFault } from '../../base/file-mode.ts';
import { type FileContext, readReferred } from './referred-file.ts';
import type { ParsedUsers } from './user-lines.ts';

export interface UserFileFault {
  readonly message: string;
  readonly hint?: string | undefined;
}

export type ReadUsers<Users> =
  | { readonly ok: true; readonly users: Users; readonly warnings: readonly UserFileFault[] }
  | { readonly ok: false; readonly faults: readonly UserFileFault[] };

/**
 * Reads a whole file of users, or no part of it. If one line is bad, or every local user may read or write the file,
 * none of its users can log in (advisory 61).
 */
export function readUserFile<Users>(
  path: string,
  place: FileContext,
  parse: (text: string) => ParsedUsers<Users>,
): ReadUsers<Users> {
  const file = readReferred(path, place);
  if (!file.ok) return { ok: false, faults: [file] };
  // The content is as good as passwords, or reveals them.
  const full = resolve(place.directory, path);
  const open = place.contents?.[full] === undefined ? secretFileFault(full, path) : undefined;
  if (open?.verdict === 'refused') return { ok: false, faults: [open] };
  const text = decode(file.bytes);
  if (text === undefined) return { ok: false, faults: [{ message: `the file ${path} is not UTF-8` }] };
  const { users, faults } = parse(text);
  if (faults.length === 0) return { ok: true, users, warnings: open === undefined ? [] : [open] };
  return {
    ok: false,
    faults: faults.map(({ line, message, hint }) => ({ message: `${path}:${line}: ${message}`, hint })),
  };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
