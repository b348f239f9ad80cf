import { hash } from 'node:crypto';
import { remembered } from '../base/remembered.ts';
import type { Protection } from './digest.ts';
import { type DigestAlgorithmName, digestAlgorithmNames, digestAlgorithms } from './digest-algorithms.ts';

/** RFC 7616 §3.4.1 to §3.4.4. Every value is in lower-case hexadecimal. */

export interface ResponseInput {
  readonly algorithm: DigestAlgorithmName;
  /** A hash of username, realm and password, never of a session. */
  readonly ha1: string;
  readonly nonce: string;
  readonly cnonce: string | undefined;
  /** The cnonce with which the session began. Undefined: the same as `cnonce`. */
  readonly sessionCnonce?: string | undefined;
  /** Undefined: the response follows RFC 2069. */
  readonly protection: Protection | undefined;
  /** Empty for `rspauth` (RFC 7616 §3.5). */
  readonly method: string;
  readonly uri: string;
  /** The body, for auth-int. */
  readonly entity?: Uint8Array | undefined;
}

/** H(username:realm:password) in UTF-8. */
export function storedHash(algorithm: DigestAlgorithmName, username: string, realm: string, password: string): string {
  return digestOf(algorithm, `${username}:${realm}:${password}`);
}

/** H(username:realm), which replaces the name (RFC 7616 §3.4.4). */
export function userHash(algorithm: DigestAlgorithmName, username: string, realm: string): string {
  return digestOf(algorithm, `${username}:${realm}`);
}

export function digestResponse(input: ResponseInput): string {
  const { algorithm, nonce, cnonce = '', sessionCnonce = cnonce, protection } = input;
  const ha1 = digestAlgorithms[algorithm].session
    ? fieldHash(algorithm, `${input.ha1}:${nonce}:${sessionCnonce}`)
    : input.ha1.toLowerCase();
  const ha2 = secondHash(input);
  if (protection === undefined) return fieldHash(algorithm, `${ha1}:${nonce}:${ha2}`);
  const { nc, qop } = protection;
  return fieldHash(algorithm, `${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${ha2}`);
}

/** The hash of the request line, and of the body for auth-int. Clients repeat their request lines. */
function secondHash({ algorithm, method, uri, protection, entity }: ResponseInput): string {
  const line = `${method}:${uri}`;
  if (protection?.qop !== 'auth-int') return lineHashes[algorithm](line);
  return fieldHash(algorithm, `${line}:${digestOf(algorithm, entity ?? new Uint8Array())}`);
}

const lineHashes = Object.fromEntries(
  digestAlgorithmNames.map((name) => [name, remembered((line) => fieldHash(name, line))]),
) as Readonly<Record<DigestAlgorithmName, (line: string) => string>>;

/** Header text has one octet for each character. */
function fieldHash(algorithm: DigestAlgorithmName, text: string): string {
  return digestOf(algorithm, Buffer.from(text, 'latin1'));
}

/** Text is hashed as UTF-8. */
function digestOf(algorithm: DigestAlgorithmName, octets: string | Uint8Array): string {
  return hash(digestAlgorithms[algorithm].hash, octets, 'hex');
}
