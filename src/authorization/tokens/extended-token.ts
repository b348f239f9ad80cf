import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { formatScope } from '../../oauth/scope.ts';
import type { RefreshTokenRecord } from '../../storage/records.ts';
import type { Client } from '../clients.ts';
import type { Service } from '../service.ts';
import type { Granted } from './granted.ts';
import { type AccessToken, formatFor, type RefreshToken } from './issue.ts';
import { openByToken, sealByToken } from './sealed-by-token.ts';

const CARRIED = 'carried access token';

/** Where a refresh extends the access token, the refresh token carries it: the store does not know its text. */
export function carrying(service: Service, refresh: RefreshToken, access: AccessToken, client: Client): RefreshToken {
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
 * `access_token: extend`: the access token that the refresh token carries, with a later end. Undefined where it is to be
 * replaced: it ended, it is a JWT, or less is asked for than it allows.
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
