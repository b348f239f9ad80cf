import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { secretFileFault } from '../../base/file-mode.ts';
import { StorageUnusable } from './errors.ts';
import { keyIdOf } from './seal.ts';

export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]];

/** Decodes the keys of the configuration file: 32 bytes in base64 each. Undefined if there are none. */
export function decodeKeys(texts: readonly string[] | undefined): EncryptionKeys | undefined {
  const [first, ...others] = (texts ?? []).map((text, index) => decodeKey(text, `encryption_keys[${index}]`));
  return first === undefined ? undefined : [first, ...others];
}

/** The ids of the keys, as sealed values contain them, in hexadecimal and in the order of the keys. */
export function keyIds(keys: EncryptionKeys): readonly string[] {
  return keys.map((key) => keyIdOf(key).toString('hex'));
}

export interface KeyFileOptions {
  /** Only a first start makes a key: otherwise a lost key would go unnoticed. */
  readonly isFirstStart: boolean;
  /** Receives warnings about the key file. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Reads the key file beside the database. The first start makes it. */
export function keysBeside(database: string, { isFirstStart, warn }: KeyFileOptions): EncryptionKeys {
  const file = `${database}.key`;
  if (!existsSync(file)) {
    if (!isFirstStart)
      throw new StorageUnusable(`the key file ${file} is missing, and sealed keys in the database need it`);
    makeKeyFile(file);
  }
  return [readKeyFile(file, warn)];
}

/** Does the same for a program that only reads the database. */
export function readKeyBeside(database: string): EncryptionKeys {
  return [readKeyFile(`${database}.key`)];
}

/** Makes the whole file or none. So a process that starts at the same moment never reads half a key. */
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

/** A power failure must not remove the filename after values were sealed with the key. */
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
    throw new StorageUnusable(`${name} is not 32 bytes in base64`);
  return key;
}
