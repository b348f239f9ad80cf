import { randomBytes } from 'node:crypto';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { formatScope } from '../../oauth/scope.ts';
import type { GrantRecord, Minted, OpenidOrigin, RefreshTokenRecord } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import type { Granted } from './granted.ts';
import { type AccessToken, formatFor, makeAccessToken, makeRefreshToken, type RefreshToken } from './issue.ts';
import { openByToken, sealByToken } from './sealed-by-token.ts';

/** A user's grant to a client, before it has tokens. */
export interface UserGrant extends OpenidOrigin {
  readonly id: string;
  readonly client: RegisteredClient;
  readonly account: Account;
  /** The scope that the user granted. */
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly authTime: number;
}

/** The first tokens of a grant: their texts, and the records that must be durable before anyone gets the tokens. */
export interface FirstTokens {
  readonly granted: Granted;
  readonly grant: GrantRecord;
  readonly access: AccessToken;
  readonly refresh: RefreshToken | undefined;
}

/** The first access token covers the whole grant, or a part of it. A refresh token may come with it. */
export interface FirstTokenRequest {
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly refresh: boolean;
}

export function newGrantId(): string {
  return randomBytes(16).toString('base64url');
}

export function mayRefresh({ grantTypes }: Pick<RegisteredClient, 'grantTypes'>): boolean {
  return grantTypes.includes('refresh_token');
}

export async function makeFirstTokens(
  service: Service,
  of: UserGrant,
  { scope, audience, refresh: isLasting }: FirstTokenRequest,
): Promise<FirstTokens> {
  const { client, account } = of;
  const now = seconds(service.clock);
  const notAfter = isLasting ? now + Math.floor(service.config.tokens.refresh.absolute_ttl / 1000) : undefined;
  const granted: Granted = {
    client,
    account,
    subject: account.subject,
    scope,
    audience,
    grantId: of.id,
    authTime: of.authTime,
    notAfter,
  };
  const access = await makeAccessToken(service, granted);
  const grant = grantRecord(of, now, { expiresAt: notAfter ?? access.expiresAt, tokensUntil: access.expiresAt });
  const refresh = isLasting ? carrying(service, makeRefresh(service, grant), access, client) : undefined;
  return { granted, grant, access, refresh };
}

/** The records that must be durable before a client gets the tokens. */
export function minted({ grant, access, refresh }: FirstTokens): Minted {
  return { grant, access: access.record, refresh: refresh?.record, signedBy: access.signedBy };
}

function grantRecord(
  { id, client, account, scope, audience, authTime, sessionId, openid }: UserGrant,
  createdAt: number,
  ends: Pick<GrantRecord, 'expiresAt' | 'tokensUntil'>,
): GrantRecord {
  const { subject, username } = account;
  const text = formatScope(scope);
  const origin = { sessionId, openid };
  return { id, clientId: client.id, subject, username, scope: text, audience, authTime, createdAt, ...origin, ...ends };
}

function makeRefresh(service: Service, grant: GrantRecord): RefreshToken {
  return makeRefreshToken(service, { grant, scope: grant.scope, audience: grant.audience });
}

const CARRIED = 'carried access token';

/**
 * If a refresh extends the access token, the refresh token carries the text of the access token. The store does not
 * know this text.
 */
export function carrying(
  service: Service,
  refresh: RefreshToken,
  access: AccessToken,
  client: RegisteredClient,
): RefreshToken {
  const isExtended =
    service.config.tokens.refresh.access_token === 'extend' && formatFor(service, { client }) === 'opaque';
  if (!isExtended) return refresh;
  return { ...refresh, record: { ...refresh.record, carried: sealByToken(refresh.text, CARRIED, access.text) } };
}

interface Refreshed {
  readonly presented: string;
  readonly found: RefreshTokenRecord;
  readonly granted: Granted;
}

/**
 * `access_token: extend`: the refresh token's access token, with a later expiry. Undefined if it must be replaced: it
 * expired, it is a JWT, or the request asks for less than it allows.
 */
export async function extendedToken(
  { config, clock, records }: Service,
  { presented, found, granted }: Refreshed,
): Promise<AccessToken | undefined> {
  if (config.tokens.refresh.access_token !== 'extend' || found.carried === undefined) return undefined;
  const text = openByToken(presented, CARRIED, found.carried);
  if (text === undefined) return undefined;
  const now = seconds(clock);
  const record = await records.findAccessToken(sha256(text), now);
  if (record === undefined || record.scope !== formatScope(granted.scope)) return undefined;
  if (record.audience.join(' ') !== granted.audience.join(' ')) return undefined;
  const expiresAt = now + Math.floor(config.tokens.access.ttl / 1000);
  return { text, record, expiresAt: Math.min(expiresAt, granted.notAfter ?? expiresAt), signedBy: undefined };
}
