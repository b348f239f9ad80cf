import { type ApiKeyEntry, formatApiKey, parseApiKeys } from '../../config/files/api-keys.ts';
import { Refusal } from '../administration/administer.ts';
import type { ApiKeyPlace } from './api-key-place.ts';
import { readUsers, replaceFile } from './digest-file.ts';

/** A missing file counts as empty. */
export function apiKeyFile(file: string): ApiKeyPlace {
  return {
    name: file,
    list: async () => open(file).keys,
    async add(keys) {
      const opened = open(file);
      const fresh = without(keys, opened.keys);
      if (fresh.length > 0) write(file, opened.text, behind(opened.text, fresh));
      return new Set(fresh.map(({ id }) => id));
    },
    async rotate(id, made, oldUntil) {
      const { text, keys } = open(file);
      const isThere = keys.some((key) => key.id === id);
      const ended = (old: ApiKeyEntry) => ({ ...old, expiresAt: Math.min(old.expiresAt ?? oldUntil, oldUntil) });
      if (isThere) write(file, text, behind(withLine(text, id, ended), [made]));
      return isThere;
    },
    async remove(id) {
      const { text, keys } = open(file);
      const isThere = keys.some((key) => key.id === id);
      if (isThere)
        write(
          file,
          text,
          withLine(text, id, () => undefined),
        );
      return isThere;
    },
  };
}

function open(file: string): { readonly text: string; readonly keys: readonly ApiKeyEntry[] } {
  const text = readUsers(file);
  if (text === undefined) throw new Refusal(`${file} cannot be read`);
  const { users, faults } = parseApiKeys(text);
  const [first] = faults;
  if (first !== undefined) throw new Refusal(`${file}:${first.line}: ${first.message}`);
  return { text, keys: users };
}

/** Keys are equal if their hashes are equal. The id of an imported key comes from its hash. */
function without(keys: readonly ApiKeyEntry[], there: readonly ApiKeyEntry[]): readonly ApiKeyEntry[] {
  const known = new Set(there.map(({ hash }) => hash));
  return keys.filter(({ hash }) => !known.has(hash) && known.add(hash));
}

/** Appends the keys, and keeps the existing text. */
function behind(text: string, keys: readonly ApiKeyEntry[]): string {
  const kept = text.trimEnd();
  return `${kept === '' ? '' : `${kept}\n`}${keys.map((key) => `${formatApiKey(key)}\n`).join('')}`;
}

type Changed = (key: ApiKeyEntry) => ApiKeyEntry | undefined;

/** Changes or removes the line of one key, and keeps every other line. */
function withLine(text: string, id: string, change: Changed): string {
  const lines = text.split('\n').flatMap((line) => {
    const [key] = parseApiKeys(line).users;
    if (key?.id !== id) return [line];
    const changed = change(key);
    return changed === undefined ? [] : [`${formatApiKey(changed)}${line.endsWith('\r') ? '\r' : ''}`];
  });
  return lines.join('\n');
}

/** `was`: the text that the change is based on. */
function write(file: string, was: string, text: string): void {
  if (readUsers(file) !== was)
    throw new Refusal(`another program changed ${file} at the same time: repeat the command`);
  const fault = replaceFile(file, text);
  if (fault !== undefined) throw new Refusal(fault);
}
