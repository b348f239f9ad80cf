import type { JWK } from 'jose';
import type { Judge } from '../judge.ts';

/** Private parameters, and the value of a symmetric key (RFC 7518 §6). */
const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

const parts: Readonly<Record<string, readonly (keyof JWK)[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};

const base64url = /^[A-Za-z0-9_-]+$/;

/** RFC 7517 §4, OpenID Connect Core §10.1: public keys in the right form, each with its own `kid`. */
export function checkKeys(judge: Judge, keys: readonly JWK[]): void {
  for (const key of keys) {
    const needed = parts[key.kty ?? ''];
    judge.must(needed !== undefined, 'a published key has a known asymmetric type', key.kty);
    const isWhole = needed?.every((name) => base64url.test(String(key[name] ?? ''))) ?? false;
    judge.must(isWhole, 'a published key has all its parts in base64url', key.kid);
    judge.must(!secret.some((name) => name in key), 'a published key has no secret part', key.kid);
  }
  const kids = keys.map(({ kid }) => kid);
  judge.must(!kids.includes(undefined), 'each published key has a kid');
  judge.must(new Set(kids).size === kids.length, 'no two published keys have one kid', kids);
}
