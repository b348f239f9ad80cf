import { join } from 'node:path';
import type { NewFile } from './files.ts';
import { isThere, replaceAll } from './replace-all.ts';

export type Written =
  | { readonly kind: 'written'; readonly written: readonly NewFile[]; readonly kept: readonly NewFile[] }
  | { readonly kind: 'fault'; readonly message: string };

/** Which existing files may be overwritten. */
export interface Over {
  readonly force: boolean;
  /** Overwrite earlier secrets too. Running programs keep the old secrets until they restart. */
  readonly newSecrets: boolean;
}

/** A sentence if one of the files already exists. */
export function alreadyThere(folder: string, files: readonly Pick<NewFile, 'path'>[]): string | undefined {
  const there = files.filter(({ path }) => isThere(join(folder, path))).map(({ path }) => path);
  if (there.length === 0) return undefined;
  return `these files exist: ${there.join(', ')}. Nothing is written; --force overwrites them, and keeps secrets`;
}

/** Writes all files, or none if one cannot be written. Without `force`, an existing file is such a fault. */
export function writeFiles(folder: string, files: readonly NewFile[], { force, newSecrets }: Over): Written {
  const there = force ? undefined : alreadyThere(folder, files);
  if (there !== undefined) return { kind: 'fault', message: there };
  const kept = files.filter(({ path, isDrawn }) => isDrawn && !newSecrets && isThere(join(folder, path)));
  const written = files.filter((file) => !kept.includes(file));
  const message = replaceAll(
    written.map(({ path, text, isSecret }) => ({
      path: join(folder, path),
      text,
      isSecret,
      isInPrivateFolder: path.includes('/'),
    })),
  );
  return message === undefined ? { kind: 'written', written, kept } : { kind: 'fault', message };
}
