import { refused } from '../base/verdict.ts';
import { algorithms } from './algorithms.ts';
import type { RefusedJwt } from './faults.ts';
import type { VerificationKey } from './keys.ts';
import type { ParsedJws } from './parse.ts';

/** The key that made the signature; undefined: none of these did. A header whose `alg` is not the key's never fits. */
export async function verifySignature(
  jws: ParsedJws,
  keys: readonly VerificationKey[],
): Promise<VerificationKey | undefined> {
  for (const candidate of keys) {
    if (candidate.alg === jws.header.alg && (await isSignedBy(jws, candidate))) return candidate;
  }
  return undefined;
}

/**
 * RFC 7515 §5.2. Form, header, key and algorithm were judged before, so the signature alone is left; whatever floods with
 * wrong ones costs no error with a stack, and nothing is parsed again.
 */
function isSignedBy({ token, signature }: ParsedJws, { key, alg }: VerificationKey): Promise<boolean> {
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'latin1');
  return crypto.subtle.verify(algorithms[alg].verifying, key, signature, signed);
}

export interface HeaderRules {
  readonly algorithms: ReadonlySet<string>;
  /** As `mediaType` writes them; undefined among them takes tokens that name none. */
  readonly types: ReadonlySet<string | undefined>;
}

/** RFC 8725 §3.1 and §3.11: what a token says of itself, before anything is computed for it. */
export function judgeHeader({ header }: ParsedJws, { algorithms, types }: HeaderRules): RefusedJwt | undefined {
  if (!algorithms.has(header.alg)) return refused('token_algorithm', `alg ${JSON.stringify(header.alg.slice(0, 32))}`);
  if (!types.has(header.typ === undefined ? undefined : mediaType(header.typ))) {
    return refused('token_type', `typ ${JSON.stringify(header.typ?.slice(0, 64))}`);
  }
  return undefined;
}

/** RFC 7515 §4.1.9: compared without case, `application/` may be left out. */
export function mediaType(typ: string): string {
  const lower = typ.toLowerCase();
  return lower.startsWith('application/') ? lower.slice('application/'.length) : lower;
}
