import { splitChallenges } from './challenge-list.ts';
import type { DigestChallenge } from './digest.ts';
import { type DigestAlgorithmName, digestAlgorithmNamed, type Qop } from './digest-algorithms.ts';
import { parseParameters } from './parameters.ts';

/** What a Digest client accepts, in order of preference. */
export interface DigestWish {
  readonly algorithms: readonly DigestAlgorithmName[];
  readonly qop: readonly Qop[];
}

/** A challenge that the client can answer. Without `qop`, it follows RFC 2069. */
export interface DigestOffer extends Omit<DigestChallenge, 'domain'> {
  /**
   * Whether the challenge names its algorithm. A server of RFC 2069 that names no algorithm may not understand the name
   * of one.
   */
  readonly isNamed: boolean;
}

/**
 * The strongest Digest challenge in these `WWW-Authenticate` lines. Undefined: the client can answer none. RFC 7616
 * §3.3: a challenge with an unknown algorithm or qop must be ignored.
 */
export function chooseOffer(lines: readonly string[], wish: DigestWish): DigestOffer | undefined {
  const offers = lines.flatMap((line) =>
    splitChallenges(line).flatMap(({ scheme, rest }) => (scheme === 'digest' ? (readOffer(rest, wish) ?? []) : [])),
  );
  for (const name of wish.algorithms) {
    const offer = offers.find(({ algorithm }) => algorithm === name);
    if (offer !== undefined) return offer;
  }
  return undefined;
}

function readOffer(rest: string, wish: DigestWish): DigestOffer | undefined {
  const parsed = parseParameters(rest);
  if (parsed.kind === 'malformed') return undefined;
  const { values } = parsed;
  const [realm, nonce] = [values.get('realm'), values.get('nonce')];
  const algorithm = digestAlgorithmNamed(values.get('algorithm'));
  const qop = readQop(values.get('qop'), wish);
  if (realm === undefined || nonce === undefined || algorithm === undefined || qop === undefined) return undefined;
  return {
    // The realm is hashed octet by octet, so it is not normalized.
    realm: Buffer.from(realm, 'latin1').toString('utf8'),
    nonce,
    opaque: values.get('opaque'),
    algorithm,
    isNamed: values.has('algorithm'),
    qop,
    userhash: isTrue(values.get('userhash')),
    stale: isTrue(values.get('stale')),
  };
}

/** The offered values that the client accepts, in its order. Undefined: the offer contains only others. */
function readQop(written: string | undefined, wish: DigestWish): readonly Qop[] | undefined {
  if (written === undefined) return [];
  const offered = written.split(',').map((each) => each.trim().toLowerCase());
  const usable = wish.qop.filter((each) => offered.includes(each));
  return usable.length === 0 ? undefined : usable;
}

function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}
