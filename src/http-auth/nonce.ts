import { hmacSha256 } from '../base/hmac.ts';
import { sameBytes } from '../base/secret.ts';

/**
 * Signed nonces, which need no storage: version, time of issue in milliseconds, nine random octets, and a MAC over
 * these and the nonce's purpose. Only nonces that were used with the right password are stored.
 */
export interface Nonce {
  /** The unique id of this nonce. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

const VERSION = 1;
const RANDOM = 9;
const OPEN = 1 + 6 + RANDOM;
const MAC = 16;

export interface NonceInput {
  readonly key: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Nine octets. */
  readonly random: Uint8Array;
  /** The realm, and other values that the nonce is bound to. */
  readonly purpose: string;
}

/** 43 characters of base64url. */
export function makeNonce({ key, now, random, purpose }: NonceInput): string {
  const octets = Buffer.alloc(OPEN + MAC);
  octets.writeUInt8(VERSION, 0);
  octets.writeUIntBE(Math.floor(now), 1, 6);
  octets.set(random.subarray(0, RANDOM), 7);
  octets.set(macOf(key, octets.subarray(0, OPEN), purpose), OPEN);
  return octets.toString('base64url');
}

/** Undefined: none of these keys made it, or it has another purpose. */
export function readNonce(keys: readonly Uint8Array[], text: string, purpose: string): Nonce | undefined {
  const octets = Buffer.from(text, 'base64url');
  if (octets.toString('base64url') !== text || octets[0] !== VERSION) return undefined;
  const open = octets.subarray(0, OPEN);
  const isOurs = keys.some((key) => sameBytes(macOf(key, open, purpose), octets.subarray(OPEN)));
  return isOurs ? { id: text.slice(0, 22), issuedAt: octets.readUIntBE(1, 6) } : undefined;
}

/** One value for all nonces of one purpose. A client returns it or drops it. */
export function opaqueFor(key: Uint8Array, purpose: string): string {
  return hmacSha256(key, 'opaque\0', purpose).subarray(0, MAC).toString('base64url');
}

function macOf(key: Uint8Array, open: Uint8Array, purpose: string): Uint8Array {
  return hmacSha256(key, 'nonce\0', open, purpose).subarray(0, MAC);
}
