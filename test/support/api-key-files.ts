import type { Test } from 'tap';
import { formatApiKey } from '../../src/config/files/api-keys.ts';
import { hashApiKey, hmacApiKey, idOfApiKey } from '../../src/http-auth/api-key.ts';
import { userFile } from './user-files.ts';

interface More {
  readonly id?: string;
  readonly scopes?: readonly string[];
  /** NumericDate, seconds. */
  readonly expiresAt?: number;
  /** Hashed by HMAC with this secret. */
  readonly secret?: Uint8Array;
}

/** A line of a key file, as `gatehouse api-key create` writes it. */
export function apiKeyLine(key: string, client: string, { id, scopes = [], expiresAt, secret }: More = {}): string {
  const octets = Buffer.from(key);
  const kept =
    secret === undefined
      ? { kind: 'sha256' as const, hash: hashApiKey(octets) }
      : { kind: 'hmac' as const, hash: hmacApiKey(secret, octets) };
  return formatApiKey({ id: id ?? idOfApiKey(key), ...kept, client, expiresAt, scopes });
}

/** Deleted after the test. */
export function apiKeyFile(t: Test, ...lines: readonly string[]): string {
  return userFile(t, lines.map((line) => `${line}\n`).join(''));
}
