import { join } from 'node:path';
import type { NewFile } from './files.ts';
import { isThere, replaceAll } from './replace-all.ts';

export type Written =
  | { readonly kind: 'written'; readonly written: readonly NewFile[]; readonly kept: readonly NewFile[] }
  | { readonly kind: 'fault'; readonly message: string };

/** What may be written over. */
export interface Over {
  readonly force: boolean;
  /** This includes earlier generated secrets: running programs keep the old ones until they restart. */
  readonly newSecrets: boolean;
}

/** A sentence where one of them is in the folder. */
export function alreadyThere(folder: string, files: readonly Pick<NewFile, 'path'>[]): string | undefined {
  const there = files.filter(({ path }) => isThere(join(folder, path))).map(({ path }) => path);
  if (there.length === 0) return undefined;
  return `there already: ${there.join(', ')}. Nothing is written; --force writes over what is there, and keeps secrets`;
}

/** Writes all of them, or none: where one cannot be written, or is there already and `force` was not said. */
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
