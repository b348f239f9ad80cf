import { type ApiKeyEntry, formatApiKey, parseApiKeys } from '../../config/files/api-keys.ts';
import { Refusal } from '../administration/administer.ts';
import { readUsers, replaceFile } from './digest-file.ts';

export interface ApiKeyFile {
  readonly text: string;
  readonly keys: readonly ApiKeyEntry[];
}

/** A file that is not there yet is empty. Throws a `Refusal` where it cannot be read, or is no file of keys. */
export function openKeyFile(file: string): ApiKeyFile {
  const text = readUsers(file);
  if (text === undefined) throw new Refusal(`${file} cannot be read`);
  const { users, faults } = parseApiKeys(text);
  const [first] = faults;
  if (first !== undefined) throw new Refusal(`${file}:${first.line}: ${first.message}`);
  return { text, keys: users };
}

/** Behind what stands there, which stays as it is. */
export function addKeys(file: string, { text }: ApiKeyFile, keys: readonly ApiKeyEntry[]): void {
  const kept = text.trimEnd();
  write(file, `${kept === '' ? '' : `${kept}\n`}${keys.map((key) => `${formatApiKey(key)}\n`).join('')}`);
}

export function removeKey(file: string, { text }: ApiKeyFile, id: string): void {
  const isOwn = (line: string) =>
    line
      .replace(/^\ufeff/, '')
      .trim()
      .split(/[ \t]/, 1)[0] === id;
  const lines = text.split('\n').filter((line) => !isOwn(line));
  write(file, lines.join('\n'));
}

function write(file: string, text: string): void {
  const fault = replaceFile(file, text);
  if (fault !== undefined) throw new Refusal(fault);
}
