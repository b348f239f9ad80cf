import { base64url, CompactSign } from 'jose';
import type { AlgorithmName } from '../../src/jwt/algorithms.ts';
import { signingKey } from '../support/keys.ts';

/** Three parts with any header and payload; JSON unless they are text. */
export function encode(header: unknown, payload: unknown, signature: Uint8Array = new Uint8Array(64)): string {
  return [text(header), text(payload)]
    .map((part) => base64url.encode(part))
    .concat(base64url.encode(signature))
    .join('.');
}

function text(part: unknown): string {
  return typeof part === 'string' ? part : JSON.stringify(part);
}

export interface SignOptions {
  readonly alg?: AlgorithmName;
  readonly header?: object;
}

/** Signs anything, even what no signer should sign. */
export async function sign(claims: unknown, { alg = 'ES256', header = {} }: SignOptions = {}): Promise<string> {
  const { key, kid } = await signingKey(alg);
  const protectedHeader = { alg, typ: 'at+jwt', kid, ...header };
  return new CompactSign(Buffer.from(text(claims))).setProtectedHeader(protectedHeader).sign(key);
}

/** The other last characters of a part that lenient decoders decode to the same bytes. */
export function malleable(token: string): readonly string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const parts = token.split('.');
  return parts.flatMap((part, index) => {
    const bytes = Buffer.from(part, 'base64url');
    const others = [...alphabet].map((last) => part.slice(0, -1) + last).filter((other) => other !== part);
    const same = others.filter((other) => Buffer.from(other, 'base64url').equals(bytes));
    const padded = ['=', '==', '\n', ' ', '\t', '%3D', '+'].map((end) => part + end);
    return [...same, ...padded].map((other) => parts.with(index, other).join('.'));
  });
}
