import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type Algorithm = 'HS256' | 'ES256' | 'RS256';

/**
 * The token with that number. Tokens with one number have the same length and content, except for an ES256 signature.
 */
export type Mint = (number: number) => string;

export interface Minted {
  readonly mint: Readonly<Record<Algorithm, Mint>>;
  /** For verifiers of ES256. */
  readonly keys: { readonly keys: readonly object[] };
  /** For verifiers that read PEM files, with the names in haproxy.cfg. */
  readonly publicKeys: Readonly<Record<'es256.pub.pem' | 'rs256.pub.pem', string>>;
}

/** As in apache.conf. */
export const secret = { kid: 'hs-1', text: '0123456789abcdef0123456789abcdef' };
export const audience = 'https://api.example.com';
const ES_KID = 'es-1';
const RS_BITS = 2048;

export function buildMint(issuers: Readonly<Record<Algorithm, string>>): Minted {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: ES_KID, alg: 'ES256', use: 'sig' };
  const rsa = generateKeyPairSync('rsa', { modulusLength: RS_BITS });
  const mac = (text: string) => createHmac('sha256', secret.text).update(text).digest('base64url');
  return {
    mint: {
      HS256: minter({ alg: 'HS256', kid: secret.kid }, issuers.HS256, mac),
      ES256: minter({ alg: 'ES256', kid: ES_KID }, issuers.ES256, (text) =>
        sign('sha256', Buffer.from(text), key).toString('base64url'),
      ),
      RS256: minter({ alg: 'RS256', kid: 'rs-1' }, issuers.RS256, (text) =>
        sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url'),
      ),
    },
    keys: { keys: [jwk] },
    publicKeys: { 'es256.pub.pem': pem(publicKey), 'rs256.pub.pem': pem(rsa.publicKey) },
  };
}

function pem(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }));
}

const LIFETIME = 86_400;

function minter(header: object, issuer: string, signed: (text: string) => string): Mint {
  const head = encoded({ ...header, typ: 'at+jwt' });
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: audience, sub: 'alice', client_id: 'shop', scope: 'orders.read' };
  return (number) => {
    const jti = String(number).padStart(8, '0');
    const text = `${head}.${encoded({ ...claims, jti, iat: now, exp: now + LIFETIME })}`;
    return `${text}.${signed(text)}`;
  };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/**
 * A token that only the introspection endpoint understands. The endpoint accepts every token of this form as active.
 */
export function opaqueToken(number: number): string {
  return `opaque-${String(number).padStart(36, '0')}`;
}
