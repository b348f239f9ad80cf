import { formatDigest, type Protection } from './digest.ts';
import type { Qop } from './digest-algorithms.ts';
import type { DigestOffer } from './digest-offer.ts';
import { digestResponse, storedHash, userHash } from './digest-response.ts';

/** A client's values under one Digest challenge. They contain everything that needs the password, computed once. */
export interface DigestSelf {
  readonly offer: DigestOffer;
  readonly ha1: string;
  /** As the header contains it: the name, or its hash. */
  readonly username: string;
  readonly userhash: boolean;
}

export interface DigestLogin {
  readonly username: string;
  readonly password: string;
  /** If the server accepts it, a hash replaces the name (RFC 7616 §3.4.4). */
  readonly userhash: boolean;
}

export function digestSelf({ username, password, userhash }: DigestLogin, offer: DigestOffer): DigestSelf {
  const { algorithm, realm } = offer;
  const isHashed = userhash && offer.userhash;
  return {
    offer,
    ha1: storedHash(algorithm, username, realm, password),
    username: isHashed ? userHash(algorithm, username, realm) : username,
    userhash: isHashed,
  };
}

/** One request under a challenge. */
export interface DigestUse {
  readonly method: string;
  /** The request-target as sent. */
  readonly uri: string;
  /** How often the nonce is used, including this time. It begins at 1. */
  readonly count: number;
  readonly cnonce: string;
  /** Undefined: the challenge follows RFC 2069. */
  readonly qop: Qop | undefined;
  /** For auth-int. */
  readonly entity?: Uint8Array | undefined;
}

export interface DigestAnswer {
  /** The value of Authorization. */
  readonly authorization: string;
  /**
   * The `rspauth` of a server that knows the password (RFC 7616 §3.5). Undefined: the server sends none, or one about a
   * body that is forwarded before it has been read.
   */
  readonly rspauth: () => string | undefined;
}

/** RFC 7616 §3.4. */
export function answerDigest({ offer, ha1, username, userhash }: DigestSelf, use: DigestUse): DigestAnswer {
  const { algorithm, isNamed, nonce, realm, opaque } = offer;
  const { method, uri, qop, entity } = use;
  const protection: Protection | undefined = qop && { qop, nc: use.count.toString(16).padStart(8, '0') };
  // RFC 2069 defines no cnonce, but a session needs one.
  const cnonce = qop === undefined && !algorithm.endsWith('-sess') ? undefined : use.cnonce;
  const input = { algorithm, ha1, nonce, cnonce, protection, uri };
  const response = digestResponse({ ...input, method, entity });
  const said = { username, userhash, realm, nonce, uri, response, cnonce, opaque, protection };
  return {
    authorization: formatDigest({ ...said, algorithm: isNamed ? algorithm : undefined }),
    rspauth: () => (qop === 'auth' ? digestResponse({ ...input, method: '' }) : undefined),
  };
}
