import { chmodSync, chownSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { decodeUtf8 } from '../../base/utf8.ts';
import { type HtdigestEntry, parseHtdigest } from '../../config/files/htdigest.ts';
import type { DigestName } from '../../storage/records/records.ts';
import { hashesOf, type Login } from './digest-hashes.ts';

/** A file of users, or the reason why it cannot be used, in words for the operator. */
export type OpenedDigestFile = { readonly text: string; readonly users: readonly HtdigestEntry[] } | string;

export function openDigestFile(file: string): OpenedDigestFile {
  const text = readUsers(file);
  if (text === undefined) return `${file} cannot be read`;
  const { users, faults } = parseHtdigest(text);
  const [first] = faults;
  return first === undefined ? { text, users } : `${file}:${first.line}: ${first.message}`;
}

/** Replaces the user's lines of this realm and keeps all others unchanged. */
export function withUser(text: string, login: Login): string {
  const kept = withoutUser(text, login).trimEnd();
  const { username, realm } = login;
  const lines = hashesOf(login).map(({ algorithm, ha1 }) => `${username}:${realm}:${algorithm}:${ha1}`);
  return `${kept === '' ? '' : `${kept}\n`}${lines.join('\n')}\n`;
}

export function withoutUser(text: string, { username, realm }: DigestName): string {
  const own = `${username}:${realm}:`;
  const isOwn = (line: string) =>
    line
      .replace(/^\ufeff/, '')
      .trim()
      .normalize('NFC')
      .startsWith(own);
  return text
    .split('\n')
    .filter((line) => !isOwn(line))
    .join('\n');
}

/** A missing file counts as empty. Undefined: the file exists, but cannot be read or is not UTF-8. */
export function readUsers(file: string): string | undefined {
  try {
    return decodeUtf8(readFileSync(file));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : undefined;
  }
}

/** Writes the file completely or not at all. Other users can never read it, not even for a moment. Returns the fault. */
export function replaceFile(file: string, text: string): string | undefined {
  let made: string | undefined;
  try {
    const before = statSync(file, { throwIfNoEntry: false });
    // For a link, the file behind it, because other programs read this file.
    const target = before === undefined ? file : realpathSync(file);
    const next = `${target}.${process.pid}`;
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    made = next;
    if (before !== undefined && process.getuid?.() === 0) chownSync(next, before.uid, before.gid);
    chmodSync(next, (before?.mode ?? 0o600) & 0o770);
    renameSync(next, target);
    return undefined;
  } catch (error) {
    if (made !== undefined) rmSync(made, { force: true });
    return `${file} cannot be written: ${(error as Error).message}`;
  }
}
