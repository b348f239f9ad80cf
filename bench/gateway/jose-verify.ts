import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { measured } from './place.ts';
import { type Algorithm, audience, type Minted, secret } from './tokens.ts';

export interface ToVerify {
  /** File of different tokens, one a line. */
  readonly tokens: string;
  readonly algorithm: Algorithm;
  readonly issuer: string;
  readonly keys: Minted['keys'];
  /** For a file. */
  readonly folder: string;
}

/** Microseconds of CPU time a token. */
export interface Verification {
  readonly cpu: number;
  readonly user: number;
  readonly system: number;
  readonly perSecond: number;
}

/** What the child reads. */
export interface Task {
  readonly tokens: string;
  readonly algorithm: Algorithm;
  /** JWK of the key. */
  readonly jwk: object;
  readonly expected: { readonly issuer: string; readonly audience: string; readonly typ: string };
}

const child = fileURLToPath(new URL('jose-verify-child.ts', import.meta.url));

/**
 * In a separate process, on the core of the contenders: one token after the other, with a key that was imported before.
 */
export async function joseVerify({ tokens, algorithm, issuer, keys, folder }: ToVerify): Promise<Verification> {
  const [es = {}] = keys.keys;
  const hs = { kty: 'oct', k: Buffer.from(secret.text).toString('base64url') };
  const jwk = algorithm === 'ES256' ? es : hs;
  const task: Task = { tokens, algorithm, jwk, expected: { issuer, audience, typ: 'at+jwt' } };
  const file = join(folder, 'verify.json');
  writeFileSync(file, JSON.stringify(task));
  const command = measured({ file: process.execPath, args: [child, file], ports: [] });
  const { stdout } = await promisify(execFile)(command.file, [...command.args]);
  return JSON.parse(stdout);
}
