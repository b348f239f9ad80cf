import { hash } from 'node:crypto';
import type { Protection } from './digest.ts';
import { type DigestAlgorithmName, digestAlgorithms } from './digest-algorithms.ts';

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
  const ha2 = fieldHash(algorithm, secondText(input));
  if (protection === undefined) return fieldHash(algorithm, `${ha1}:${nonce}:${ha2}`);
  const { nc, qop } = protection;
  return fieldHash(algorithm, `${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${ha2}`);
}

function secondText({ algorithm, method, uri, protection, entity }: ResponseInput): string {
  if (protection?.qop !== 'auth-int') return `${method}:${uri}`;
  return `${method}:${uri}:${digestOf(algorithm, entity ?? new Uint8Array())}`;
}

/** Header text has one octet for each character. ASCII text is hashed directly, which avoids a copy. */
function fieldHash(algorithm: DigestAlgorithmName, text: string): string {
  return digestOf(algorithm, isAscii(text) ? text : Buffer.from(text, 'latin1'));
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is the same in UTF-8
  return /^[\x00-\x7f]*$/.test(text);
}

/** Text is hashed as UTF-8. */
function digestOf(algorithm: DigestAlgorithmName, octets: string | Uint8Array): string {
  return hash(digestAlgorithms[algorithm].hash, octets, 'hex');
}
