import { seconds } from '../base/clock.ts';
import { formatScope } from '../oauth/scope.ts';
import type { GrantRecord } from '../storage/records.ts';
import type { Account } from './accounts.ts';
import type { Client } from './clients.ts';
import { carrying } from './extended-token.ts';
import type { Granted } from './granted.ts';
import { type AccessToken, makeAccessToken, makeRefreshToken, type RefreshToken } from './issue.ts';
import type { Service } from './service.ts';

/** What a user granted to a client, before there are tokens of it. */
export interface UserGrant {
  readonly id: string;
  readonly client: Client;
  readonly account: Account;
  /** What the user granted. */
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly authTime: number;
}

/** For the first tokens of a grant: their texts, and the records that must be durable before anybody gets them. */
export interface FirstTokens {
  readonly granted: Granted;
  readonly grant: GrantRecord;
  readonly access: AccessToken;
  readonly refresh: RefreshToken | undefined;
}

/** What the first access token is for: the whole grant, or less. */
export interface Asked {
  readonly scope: readonly string[];
  readonly audience: readonly string[];
}

export async function makeFirstTokens(service: Service, of: UserGrant, asked: Asked): Promise<FirstTokens> {
  const { client, account } = of;
  const now = seconds(service.clock);
  const lasting = client.grantTypes.includes('refresh_token');
  const notAfter = lasting ? now + Math.floor(service.config.tokens.refresh.absolute_ttl / 1000) : undefined;
  const granted: Granted = {
    client,
    account,
    subject: account.subject,
    ...asked,
    grantId: of.id,
    authTime: of.authTime,
    notAfter,
  };
  const access = await makeAccessToken(service, granted);
  const grant = grantRecord(of, now, notAfter ?? access.expiresAt);
  const refresh = lasting ? carrying(service, makeRefresh(service, grant), access, client) : undefined;
  return { granted, grant, access, refresh };
}

function grantRecord(
  { id, client, account, scope, audience, authTime }: UserGrant,
  now: number,
  expiresAt: number,
): GrantRecord {
  const { subject, username } = account;
  const text = formatScope(scope);
  return { id, clientId: client.id, subject, username, scope: text, audience, authTime, createdAt: now, expiresAt };
}

function makeRefresh(service: Service, grant: GrantRecord): RefreshToken {
  return makeRefreshToken(service, { grant, scope: grant.scope, audience: grant.audience });
}
