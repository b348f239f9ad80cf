import { createHash } from 'node:crypto';
import type { Protection } from './digest.ts';
import { type DigestAlgorithmName, digestAlgorithms } from './digest-algorithms.ts';

/** RFC 7616 §3.4.1 to §3.4.4: every value in lower-case hexadecimal. */

export interface ResponseInput {
  readonly algorithm: DigestAlgorithmName;
  /** Of user, realm and password; never of a session. */
  readonly ha1: string;
  readonly nonce: string;
  readonly cnonce: string | undefined;
  /** That with which the session began; absent: `cnonce`. */
  readonly sessionCnonce?: string | undefined;
  /** Undefined: RFC 2069. */
  readonly protection: Protection | undefined;
  /** Empty for `rspauth` (RFC 7616 §3.5). */
  readonly method: string;
  readonly uri: string;
  /** The body, for auth-int. */
  readonly entity?: Uint8Array | undefined;
}

/** H(username:realm:password) in UTF-8. */
export function storedHash(algorithm: DigestAlgorithmName, username: string, realm: string, password: string): string {
  return digestOf(algorithm, Buffer.from(`${username}:${realm}:${password}`));
}

/** H(username:realm), which stands for the name (RFC 7616 §3.4.4). */
export function userHash(algorithm: DigestAlgorithmName, username: string, realm: string): string {
  return digestOf(algorithm, Buffer.from(`${username}:${realm}`));
}

export function digestResponse(input: ResponseInput): string {
  const { algorithm, nonce, cnonce = '', sessionCnonce = cnonce, protection } = input;
  const ha1 = digestAlgorithms[algorithm].session
    ? joined(algorithm, [input.ha1, nonce, sessionCnonce])
    : input.ha1.toLowerCase();
  const ha2 = joined(algorithm, secondParts(input));
  if (protection === undefined) return joined(algorithm, [ha1, nonce, ha2]);
  return joined(algorithm, [ha1, nonce, protection.nc, cnonce, protection.qop, ha2]);
}

function secondParts({ algorithm, method, uri, protection, entity }: ResponseInput): readonly string[] {
  if (protection?.qop !== 'auth-int') return [method, uri];
  return [method, uri, digestOf(algorithm, entity ?? new Uint8Array())];
}

/** What comes from a header is an octet a character. */
function joined(algorithm: DigestAlgorithmName, parts: readonly string[]): string {
  return digestOf(algorithm, Buffer.from(parts.join(':'), 'latin1'));
}

function digestOf(algorithm: DigestAlgorithmName, octets: Uint8Array): string {
  return createHash(digestAlgorithms[algorithm].hash).update(octets).digest('hex');
}
