import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { secretFileFault } from '../../base/file-mode.ts';
import { StorageUnusable } from './errors.ts';
import { keyIdOf } from './seal.ts';

export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]];

/** The keys of the configuration file: 32 bytes of base64 each. Undefined where there are none. */
export function decodeKeys(texts: readonly string[] | undefined): EncryptionKeys | undefined {
  const [first, ...others] = (texts ?? []).map((text, index) => decodeKey(text, `encryption_keys[${index}]`));
  return first === undefined ? undefined : [first, ...others];
}

/** The names of the keys in sealed values, in hexadecimal, in the order of the keys. */
export function keyIds(keys: EncryptionKeys): readonly string[] {
  return keys.map((key) => keyIdOf(key).toString('hex'));
}

export interface KeyFileOptions {
  /** Only then a key is made: a lost one must be noticed. */
  readonly isFirstStart: boolean;
  /** Told what should be changed, and need not be for now. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** The key file beside the database, made on the first start. */
export function keysBeside(database: string, { isFirstStart, warn }: KeyFileOptions): EncryptionKeys {
  const file = `${database}.key`;
  if (!existsSync(file)) {
    if (!isFirstStart)
      throw new StorageUnusable(`the key file ${file} is missing: the database holds keys that are sealed under it`);
    makeKeyFile(file);
  }
  return [readKeyFile(file, warn)];
}

/** The same for who only reads the database. */
export function readKeyBeside(database: string): EncryptionKeys {
  return [readKeyFile(`${database}.key`)];
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

function readKeyFile(file: string, warn?: (message: string) => void): Uint8Array {
  const fault = secretFileFault(file);
  if (fault?.verdict === 'refused') throw new StorageUnusable(`${fault.message}: ${fault.hint}`);
  if (fault !== undefined) warn?.(`${fault.message}: ${fault.hint}`);
  return decodeKey(textOf(file).trim(), `the key file ${file}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StorageUnusable(`the key file ${file} cannot be read`, { cause });
  }
}

function decodeKey(text: string, name: string): Uint8Array {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || key.toString('base64') !== text)
    throw new StorageUnusable(`${name} is not 32 bytes of base64`);
  return key;
}
