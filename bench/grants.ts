import { createHash } from 'node:crypto';

/** The client and the scope of each request: the same for every contender. */
export const clients = {
  shop: { id: 'shop', secret: 'cs_shop-secret-of-32-bytes-or-so' },
  gateway: { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes-or' },
  web: { id: 'web', secret: 'cs_web-secret-of-32-bytes-or-more' },
} as const;

export type ClientName = keyof typeof clients;

export const scope = 'orders.read';
export const subject = 'alice';
export const redirectUri = 'https://shop.example.com/callback';
export const verifier = 'a-code-verifier-that-is-long-enough-for-rfc-7636';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Seconds. Codes are created before they are needed, so they live longer than a service would allow. */
export const lifetimes = { accessToken: 3600, refreshToken: 604_800, code: 3600 } as const;

export function basic(name: ClientName): string {
  const { id, secret } = clients[name];
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** Bodies of requests, as `application/x-www-form-urlencoded`. */
export const forms = {
  clientCredentials: () => encode({ grant_type: 'client_credentials', scope }),
  introspection: (token: string) => encode({ token, token_type_hint: 'access_token' }),
  refresh: (token: string) => encode({ grant_type: 'refresh_token', refresh_token: token }),
  code: (code: string) =>
    encode({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }),
} as const;

function encode(form: Record<string, string>): string {
  return new URLSearchParams(form).toString();
}
