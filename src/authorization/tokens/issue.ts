import { randomBytes } from 'node:crypto';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import type { TokenFormat } from '../../config/schema/authorization.ts';
import { ownValue } from '../../config/words/own-value.ts';
import { audienceClaim } from '../../oauth/introspection.ts';
import { formatScope } from '../../oauth/scope.ts';
import type { AccessTokenRecord, GrantRecord, NewRefreshToken, SignedBy } from '../../storage/records/records.ts';
import { rotatedTooOften } from '../keys/rotated-too-often.ts';
import { MOST_TRIES } from '../keys/user-keys.ts';
import type { Service } from '../service/service.ts';
import type { Granted } from './granted.ts';
import { makeOpaqueToken, tokenPrefixes } from './opaque-token.ts';

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope: string;
  /** The same value as `scope`, under another name. */
  readonly rscope?: string;
}

/** A new token. If it has a record, the record must be durable before the token is sent. */
export interface AccessToken {
  readonly text: string;
  readonly expiresAt: number;
  /** Undefined for a JWT, which is not stored. */
  readonly record: AccessTokenRecord | undefined;
  /** The user's own key, which must still be current when the token is issued; undefined if an issuer key signed it. */
  readonly signedBy: SignedBy | undefined;
}

export interface RefreshToken {
  readonly text: string;
  readonly record: NewRefreshToken;
}

interface Lifetime {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

type Make = (service: Service, granted: Granted, lifetime: Lifetime) => Promise<AccessToken>;

const formats: Record<TokenFormat, { readonly ttl: 'ttl' | 'jwt_ttl'; readonly make: Make }> = {
  opaque: { ttl: 'ttl', make: makeOpaque },
  jwt: { ttl: 'jwt_ttl', make: makeJwt },
};

/** The only function that makes access tokens. */
export async function makeAccessToken(service: Service, granted: Granted): Promise<AccessToken> {
  const { ttl, make } = formats[formatFor(service, granted)];
  const issuedAt = seconds(service.clock);
  const ending = issuedAt + Math.floor(service.config.tokens.access[ttl] / 1000);
  return make(service, granted, { issuedAt, expiresAt: Math.min(ending, granted.notAfter ?? ending) });
}

export function formatFor({ config }: Service, { client }: Pick<Granted, 'client'>): TokenFormat {
  return client.tokenFormat ?? config.tokens.access.format;
}

async function makeOpaque(service: Service, granted: Granted, lifetime: Lifetime): Promise<AccessToken> {
  const text = makeOpaqueToken(tokenPrefixes.accessToken);
  const { client, subject, account, scope, audience, grantId, authTime } = granted;
  const record: AccessTokenRecord = {
    hash: sha256(text),
    clientId: client.id,
    subject,
    username: account?.username,
    scope: formatScope(scope),
    audience,
    claims: customClaims(service, granted),
    grantId,
    authTime,
    ...lifetime,
  };
  return { text, expiresAt: lifetime.expiresAt, record, signedBy: undefined };
}

/** RFC 9068 §2. A JWT is not stored: it ends at `exp`, when its `jti` is revoked, with its grant, or with its key. */
async function makeJwt(service: Service, granted: Granted, lifetime: Lifetime): Promise<AccessToken> {
  const { config } = service;
  const { issuedAt, expiresAt } = lifetime;
  const { sign, signedBy } = await signerFor(service, granted);
  const text = await sign(config.compat.jwt_typ, {
    ...customClaims(service, granted),
    iss: config.issuer,
    sub: granted.subject,
    aud: audienceClaim(granted.audience),
    client_id: granted.client.id,
    ...(config.compat.app_id_claim && { app_id: granted.client.id }),
    scope: formatScope(granted.scope),
    ...(granted.authTime !== undefined && { auth_time: granted.authTime }),
    ...(granted.grantId !== undefined && { gid: granted.grantId }),
    iat: issuedAt,
    exp: expiresAt,
    jti: randomBytes(16).toString('base64url'),
  });
  return { text, expiresAt, record: undefined, signedBy };
}

/** A client that acts for itself has no separate key, so the issuer's key signs. */
async function signerFor({ config, keys, userKeys }: Service, { account }: Granted) {
  if (account === undefined || !config.signing.user_keys) return { sign: keys.sign, signedBy: undefined };
  return userKeys.signer(account.subject);
}

/**
 * Makes and saves tokens. If the key is rotated before the save, the tokens are discarded and made again. A discarded attempt
 * has no other effect.
 */
export async function withCurrentKey<Outcome>(attempt: () => Promise<Outcome | 'rekeyed'>): Promise<Outcome> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const outcome = await attempt();
    if (outcome !== 'rekeyed') return outcome as Outcome;
  }
  throw rotatedTooOften('user');
}

/** The only function that makes refresh tokens. Each use makes a new one. */
export function makeRefreshToken(
  { config, clock }: Service,
  {
    grant,
    scope,
    audience,
  }: { readonly grant: GrantRecord; readonly scope: string; readonly audience: readonly string[] },
): RefreshToken {
  const text = makeOpaqueToken(tokenPrefixes.refreshToken);
  const issuedAt = seconds(clock);
  const expiresAt = Math.min(issuedAt + Math.floor(config.tokens.refresh.ttl / 1000), grant.expiresAt);
  return { text, record: { hash: sha256(text), grantId: grant.id, scope, audience, issuedAt, expiresAt } };
}

/** Counts a durable token. */
export function countIssued({ metrics }: Service, grantType: string, { record }: AccessToken): void {
  metrics.issued(grantType, record === undefined ? 'jwt' : 'opaque');
}

export function tokenResponse(
  { config, clock }: Service,
  granted: Granted,
  {
    access,
    refresh,
    idToken,
  }: {
    readonly access: AccessToken;
    readonly refresh?: RefreshToken | undefined;
    readonly idToken?: string | undefined;
  },
): TokenResponse {
  const scope = formatScope(granted.scope);
  return {
    access_token: access.text,
    token_type: 'Bearer',
    expires_in: access.expiresAt - seconds(clock),
    ...(refresh && { refresh_token: refresh.text }),
    ...(idToken !== undefined && { id_token: idToken }),
    scope,
    ...(config.compat.app_id_claim && { rscope: scope }),
  };
}

interface Described {
  readonly claims: Readonly<Record<string, unknown>>;
}

/** `tokens.access.claims`: facts about the user and the client, in JWTs and introspection. Absent facts are left out. */
export function customClaims(
  { config }: Pick<Service, 'config'>,
  { account, client }: { readonly account: Described | undefined; readonly client: Described },
): Readonly<Record<string, unknown>> {
  const sources = { user: account?.claims ?? {}, client: client.claims };
  const entries = Object.entries(config.tokens.access.claims).map(
    ([claim, { of, name }]) => [claim, ownValue(sources[of], name)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
