import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { passwordFaults, preparePassword } from '../base/password-text.ts';
import { usernameFault } from '../base/username.ts';
import { parseHtdigest } from '../config/htdigest.ts';
import type { StoredAlgorithm } from '../http-auth/digest-algorithms.ts';
import { storedHash } from '../http-auth/digest-response.ts';
import { readSecret } from './read-secret.ts';

/** `gatehouse digest set`: a user of Digest, under every algorithm, which Apache's htdigest cannot write. */
export function register(program: Command): void {
  const digest = program.command('digest').description('users of Digest routes');
  digest
    .command('set')
    .description('add a user to a file of users, or change the password there')
    .argument('<username>')
    .requiredOption('--file <file>', 'what `digest: { users }` names; made where it is not there')
    .requiredOption('--realm <realm>', 'what `digest: { realm }` says')
    .addHelpText(
      'after',
      '\nThe password is asked for, or read from standard input; never from the arguments:\n  gatehouse digest set alice --file meters.htdigest --realm meters < password.txt\n',
    )
    .action(run);
}

interface Options {
  readonly file: string;
  readonly realm: string;
}

async function run(username: string, { file, realm }: Options): Promise<void> {
  const name = username.normalize('NFC');
  const fault = nameFault(name, realm);
  if (fault !== undefined) return giveUp(fault);
  const secret = await readSecret('Password');
  if (secret.kind === 'unreadable') return giveUp(secret.message);
  const prepared = preparePassword(secret.text);
  if (prepared.kind === 'unfit') return giveUp(passwordFaults[prepared.reason]);
  const before = read(file);
  if (before === undefined) return giveUp(`${file} cannot be read`);
  const after = setUser(before, { username: name, realm, password: secret.text.normalize('NFC') });
  const [first] = parseHtdigest(after).faults;
  if (first !== undefined) return giveUp(`${file}:${first.line}: ${first.message}`);
  const unwritten = replace(file, after);
  if (unwritten !== undefined) return giveUp(`${file} cannot be written: ${unwritten}`);
  process.stdout.write(`${name} can log in to ${realm} by ${algorithms.join(', ')}\n`);
}

/** The fields of a line are parted by colons, and a line that begins with `#` is a comment. */
function nameFault(username: string, realm: string): string | undefined {
  if (/^#|:/.test(username)) return 'a user name of Digest has no colon, and no # at its beginning';
  return /^[\x20-\x39\x3b-\x7e]+$/.test(realm) ? usernameFault(username) : 'a realm is printable ASCII without a colon';
}

const algorithms: readonly StoredAlgorithm[] = ['SHA-256', 'SHA-512-256', 'MD5'];

interface Login {
  readonly username: string;
  readonly realm: string;
  readonly password: string;
}

/** The user's lines of this realm are replaced, and everything else stays as it stands. */
function setUser(text: string, { username, realm, password }: Login): string {
  const own = `${username}:${realm}:`;
  const kept = text.split('\n').filter((line) => !line.trim().normalize('NFC').startsWith(own));
  const lines = algorithms.map((name) => `${own}${name}:${storedHash(name, username, realm, password)}`);
  const before = kept.join('\n').trimEnd();
  return `${before === '' ? '' : `${before}\n`}${lines.join('\n')}\n`;
}

/** Undefined: it is there, and cannot be read. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : undefined;
  }
}

/** Whole or not at all, and never open to everybody, not even for a moment. Answers with what went wrong. */
function replace(file: string, text: string): string | undefined {
  const next = `${file}.${process.pid}`;
  const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o770;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    chmodSync(next, mode);
    renameSync(next, file);
    return undefined;
  } catch (error) {
    rmSync(next, { force: true });
    return (error as Error).message;
  }
}

function giveUp(message: string): void {
  process.stderr.write(`gatehouse: ${message}\n`);
  process.exitCode = 1;
}
