import { readFileSync } from 'node:fs';
import { secretFileFault } from '../../base/file-mode.ts';
import { type ApiKeyEntry, clientFault } from '../../config/files/api-keys.ts';
import { scopeTokenFault } from '../../config/words/scope-words.ts';
import { secretKeyFaults } from '../../config/words/secret-key.ts';
import { hashApiKey, hmacApiKey, idOfApiKey, isOurApiKey } from '../../http-auth/api-key.ts';
import { Refusal } from '../administration/administer.ts';
import { bitsOf, ENOUGH } from './api-key-strength.ts';

export interface ForeignKey {
  readonly line: number;
  readonly key: string;
  readonly client: string;
  readonly scopes: readonly string[];
}

/** Parses lines of `KEY CLIENT [SCOPE …]`. Throws a `Refusal` that quotes no key if one line is wrong. */
export function parseForeignKeys(text: string): readonly ForeignKey[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const lineOf = new Map<string, number>();
  return lines.flatMap((each, index) => {
    const [key = '', client, ...scopes] = each.trim().split(/[ \t]+/);
    if (key === '' || key.startsWith('#')) return [];
    const before = lineOf.get(key);
    const fault = before === undefined ? faultOf(key, client, scopes) : `line ${before} has the same key`;
    lineOf.set(key, index + 1);
    if (fault !== undefined || client === undefined) throw new Refusal(`line ${index + 1} of the input: ${fault}`);
    return [{ line: index + 1, key, client, scopes }];
  });
}

function faultOf(key: string, client: string | undefined, scopes: readonly string[]): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'a key is printable ASCII, because clients send it in a header or in the query';
  if (client === undefined) return 'this is not `KEY CLIENT [SCOPE …]`';
  return clientFault(client) ?? scopes.map(scopeTokenFault).find((each) => each !== undefined);
}

/** Reads the secret that the gateway has as `hmac_key`. Throws a `Refusal` with the fault. */
export function readHmacKey(file: string): Uint8Array {
  const open = secretFileFault(file);
  if (open?.verdict === 'refused') throw new Refusal(`${open.message} (${open.hint})`);
  const text = contentOf(file).trim();
  const [fault] = secretKeyFaults([], text);
  if (fault !== undefined) throw new Refusal(`${file}: ${fault.message} (${fault.hint})`);
  return Buffer.from(text, 'base64');
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`);
  }
}

export function isShort({ key }: Pick<ForeignKey, 'key'>): boolean {
  return bitsOf(key) < ENOUGH;
}

/** A short key is stored by HMAC. Its id comes from the hash, which reveals nothing about the key. */
export function entryOf(
  foreign: ForeignKey,
  secret: Uint8Array | undefined,
  expiresAt: number | undefined,
): ApiKeyEntry {
  const { key, client, scopes } = foreign;
  const octets = Buffer.from(key);
  const byHmac = isShort(foreign) && secret !== undefined;
  const hash = byHmac ? hmacApiKey(secret, octets) : hashApiKey(octets);
  const id = isOurApiKey(key) ? idOfApiKey(key) : `imported-${hash.slice(0, ID_LENGTH)}`;
  return { id, kind: byHmac ? 'hmac' : 'sha256', hash, client, expiresAt, scopes };
}

/** Characters of base64url. */
const ID_LENGTH = 10;
