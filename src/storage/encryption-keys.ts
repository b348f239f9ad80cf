import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StorageUnusable } from './errors.ts';

export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]];

/** The keys of the configuration file: 32 bytes of base64 each. Undefined where there are none. */
export function decodeKeys(texts: readonly string[] | undefined): EncryptionKeys | undefined {
  const [first, ...others] = (texts ?? []).map((text, index) => decodeKey(text, `encryption_keys[${index}]`));
  return first === undefined ? undefined : [first, ...others];
}

/** The key file beside the database; made on the first start, and only then: a lost one must be noticed. */
export function keysBeside(database: string, isFirstStart: boolean): EncryptionKeys {
  const file = `${database}.key`;
  if (!existsSync(file)) {
    if (!isFirstStart)
      throw new StorageUnusable(`the key file ${file} is missing: the database holds keys that are sealed under it`);
    makeKeyFile(file);
  }
  return [readKeyFile(file)];
}

/** Whole or not there: a process that starts at the same moment reads this key or makes it, never half of it. */
function makeKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${randomBytes(32).toString('base64')}\n`);
    fsyncSync(descriptor);
    linkSync(draft, file);
    syncDirectory(dirname(file));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    closeSync(descriptor);
    rmSync(draft);
  }
}

/** So that a power cut cannot take the name of the file away after keys were sealed under it. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function readKeyFile(file: string): Uint8Array {
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
      throw new StorageUnusable(`the key file ${file} is open to other users: chmod 600 it`);
    }
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw cause instanceof StorageUnusable
      ? cause
      : new StorageUnusable(`the key file ${file} cannot be read`, { cause });
  }
  return decodeKey(text.trim(), `the key file ${file}`);
}

function decodeKey(text: string, name: string): Uint8Array {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || key.toString('base64') !== text)
    throw new StorageUnusable(`${name} is not 32 bytes of base64`);
  return key;
}
