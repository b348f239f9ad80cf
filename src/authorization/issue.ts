import { randomBytes } from 'node:crypto';
import { seconds } from '../base/clock.ts';
import { sha256 } from '../base/secret.ts';
import type { TokenFormat } from '../config/authorization.ts';
import { formatScope } from '../oauth/scope.ts';
import { audienceClaim } from './audience.ts';
import type { Granted } from './grant.ts';
import { makeOpaqueToken } from './opaque-token.ts';
import type { Service } from './service.ts';

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

interface Lifetime {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

type Make = (service: Service, granted: Granted, lifetime: Lifetime) => Promise<string>;

const formats: Record<TokenFormat, { readonly ttl: 'ttl' | 'jwt_ttl'; readonly make: Make }> = {
  opaque: { ttl: 'ttl', make: makeOpaque },
  jwt: { ttl: 'jwt_ttl', make: makeJwt },
};

/** The only maker of tokens: an opaque one is handed out after its record is durable. */
export async function issue(service: Service, granted: Granted): Promise<TokenResponse> {
  const { tokens } = service.config;
  const { ttl, make } = formats[formatFor(service, granted)];
  const expiresIn = Math.floor(tokens.access[ttl] / 1000);
  const issuedAt = seconds(service.clock);
  const access_token = await make(service, granted, { issuedAt, expiresAt: issuedAt + expiresIn });
  return { access_token, token_type: 'Bearer', expires_in: expiresIn, scope: formatScope(granted.scope) };
}

export function formatFor({ config }: Service, { client }: Granted): TokenFormat {
  return client.tokenFormat ?? config.tokens.access.format;
}

async function makeOpaque({ records }: Service, granted: Granted, lifetime: Lifetime): Promise<string> {
  const token = makeOpaqueToken();
  const { client, subject, scope, audience } = granted;
  await records.saveAccessToken({
    hash: sha256(token),
    clientId: client.id,
    subject,
    scope: formatScope(scope),
    audience,
    ...lifetime,
  });
  return token;
}

/** RFC 9068 §2. Not kept: it ends at `exp`, or by its `jti`. */
async function makeJwt(
  { config, keys }: Service,
  granted: Granted,
  { issuedAt, expiresAt }: Lifetime,
): Promise<string> {
  return keys.sign(config.compat.jwt_typ, {
    iss: config.issuer,
    sub: granted.subject,
    aud: audienceClaim(granted.audience),
    client_id: granted.client.id,
    scope: formatScope(granted.scope),
    iat: issuedAt,
    exp: expiresAt,
    jti: randomBytes(16).toString('base64url'),
  });
}
