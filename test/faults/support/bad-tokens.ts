import { randomBytes } from 'node:crypto';

export interface Forged {
  /** A valid token, for its header and its payload. */
  readonly jwt: string;
  /** An opaque token that no server issued. */
  readonly opaque: string;
  /** Replaces all of these: only JWTs, each with a different unknown kid or with a different signature. */
  readonly only?: 'kids' | 'signatures';
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

/** One of so many requests has another spelling of a token that was seen before. */
const VARIANT = 10;

/**
 * Bad values of Authorization: opaque and JWT in turn, each different. Every fourth JWT names an unknown key. Every
 * tenth value is one of the same few tokens, in a spelling that must not count as a new token.
 */
export function badTokens({ jwt, opaque, only }: Forged): () => string {
  const [header, payload] = jwt.split('.').slice(0, 2).map(decode);
  const head = encode(header);
  let count = 0;
  const forged = (index: number) => {
    const named =
      only === 'kids' || (only === undefined && index % 8 === 1)
        ? encode({ ...header, kid: randomBytes(12).toString('base64url') })
        : head;
    return `${named}.${encode({ ...payload, jti: String(index) })}.${randomBytes(64).toString('base64url')}`;
  };
  const variants = [`Bearer  ${opaque}`, `bEARER ${opaque}`, `Bearer ${jwt}=`, `Bearer ${respelled(jwt)}`];
  return () => {
    const index = count++;
    if (only !== undefined) return `Bearer ${forged(index)}`;
    if (index % VARIANT === 0) return variants[(index / VARIANT) % variants.length] as string;
    return `Bearer ${index % 2 === 0 ? randomBytes(32).toString('base64url') : forged(index)}`;
  };
}

/** Its last character contains two or four bits that a lax decoder drops (RFC 4648 §3.5). */
function respelled(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) ^ 1];
}
