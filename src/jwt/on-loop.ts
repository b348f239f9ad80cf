import { createHmac, createSecretKey, KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { CryptoKey } from 'jose';
import type { AlgorithmName } from './algorithms.ts';
import { derOfEs256 } from './ecdsa-der.ts';

/** Verifies with one key on the event loop. */
export interface OnLoop {
  /** Microseconds from the budget of the turn. 0: always verifies on the loop. */
  readonly cost: number;
  /** Whether the key made this signature. */
  verify(signed: Uint8Array, signature: Uint8Array): boolean;
}

type Verify = (signed: Uint8Array, signature: Uint8Array, key: KeyObject) => boolean;

/** Undefined: only threads verify, with WebCrypto. */
type Way = { readonly cost: number; readonly verify: Verify } | undefined;

/** Sending the work to a thread blocks the event loop for longer than the work itself. */
const always = (verify: Verify): Way => ({ cost: 0, verify });
/** The work takes less than 0.1 ms. Sending it to a thread costs more, even for many tokens at once. */
const inBudget = (cost: number, verify: Verify): Way => ({ cost, verify });
/** The work is long, or sending it to a thread adds less than a tenth for many tokens at once. */
const onThread: Way = undefined;

/** RFC 7518 §3.2. The length of a signature is public. */
const hmac =
  (hash: string): Verify =>
  (signed, signature, key) => {
    const made = createHmac(hash, key).update(signed).digest();
    return made.length === signature.length && timingSafeEqual(made, signature);
  };

/** RFC 7518 §3.4. */
const es256: Verify = (signed, signature, key) => {
  const der = derOfEs256(signature);
  return der !== undefined && verify('sha256', signed, key, der);
};

/** RFC 7518 §3.3. */
const rsa =
  (hash: string): Verify =>
  (signed, signature, key) =>
    verify(hash, signed, key, signature);

/** From the measurement in docs/decisions/0029-verification-on-the-loop.md. */
const ways: Readonly<Record<AlgorithmName, Way>> = {
  EdDSA: onThread,
  Ed25519: onThread,
  ES256: inBudget(75, es256),
  ES384: onThread,
  ES512: onThread,
  RS256: inBudget(25, rsa('sha256')),
  RS384: inBudget(25, rsa('sha384')),
  RS512: inBudget(25, rsa('sha512')),
  PS256: onThread,
  PS384: onThread,
  PS512: onThread,
  HS256: always(hmac('sha256')),
  HS384: always(hmac('sha384')),
  HS512: always(hmac('sha512')),
};

/** Bits. The work grows with the square of the modulus. The cost of sending it to a thread stays the same. */
const MOST_BITS = 2048;

/** Undefined: only threads verify with this key, because of its algorithm or its large modulus. */
export function publicOnLoop(key: CryptoKey, alg: AlgorithmName): OnLoop | undefined {
  const { modulusLength = 0 } = key.algorithm as { readonly modulusLength?: number };
  return modulusLength > MOST_BITS ? undefined : bound(KeyObject.from(key), ways[alg]);
}

export function secretOnLoop(secret: Uint8Array, alg: AlgorithmName): OnLoop | undefined {
  return bound(createSecretKey(secret), ways[alg]);
}

function bound(key: KeyObject, way: Way): OnLoop | undefined {
  if (way === undefined) return undefined;
  const { cost, verify } = way;
  return { cost, verify: (signed, signature) => verify(signed, signature, key) };
}
