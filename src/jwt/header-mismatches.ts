import { type Mismatch, mismatch, mismatchOf } from '../base/mismatch.ts';
import { listedFirst, quoted } from '../base/quoted.ts';
import { mediaType } from '../base/token-type.ts';
import type { VerificationKey } from './keys.ts';
import type { JwsHeader } from './parse.ts';

/** Checks each header parameter separately. A match, which is the usual case, allocates nothing. */

export interface ExpectedHeader {
  readonly algorithms: ReadonlySet<string>;
  /** In the form of `mediaType`. Undefined in the set accepts tokens without `typ`. */
  readonly types: ReadonlySet<string | undefined>;
}

export function algorithmMismatch(alg: string, algorithms: ExpectedHeader['algorithms']): Mismatch | undefined {
  return algorithms.has(alg) ? undefined : mismatchOf('alg', alg, [...algorithms]);
}

export function typeMismatch(typ: string | undefined, types: ExpectedHeader['types']): Mismatch | undefined {
  if (types.has(typ === undefined ? undefined : mediaType(typ))) return undefined;
  const names = [...types].map((type) => (type === undefined ? 'none' : quoted(type)));
  return mismatch('typ', quoted(typ), listedFirst(names, ' or '));
}

type NamedKey = Pick<VerificationKey, 'alg' | 'kid'>;

/** No known key has this name and this algorithm. */
export function keyMismatch({ alg, kid }: JwsHeader, atHand: Iterable<NamedKey>): Mismatch {
  const keys = [...atHand];
  const namesake = kid === undefined ? undefined : keys.find((key) => key.kid === kid);
  const expected = keys.length === 0 ? 'a known key, but there is none' : listedFirst(keys.map(keyInWords), ' or ');
  const differs = namesake && `the key with this kid is for ${namesake.alg}, but the token has ${quoted(alg)}`;
  return mismatch('kid', quoted(kid), expected, differs);
}

/** `tried`: the keys with this name and algorithm. None of them made the signature. */
export function signatureMismatch({ kid }: JwsHeader, tried: Iterable<NamedKey>): Mismatch {
  const expected = `a signature by ${listedFirst([...tried].map(keyInWords), ' or ')}`;
  return mismatch('kid', quoted(kid), expected, 'the token was changed, or another key signed it');
}

function keyInWords({ alg, kid }: NamedKey): string {
  return kid === undefined ? `a key without a kid (${alg})` : `${quoted(kid)} (${alg})`;
}
