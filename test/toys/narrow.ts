import type { Grant, TokenRequest } from '../../src/authorization/grants/grant.ts';
import type { Service } from '../../src/authorization/service/service.ts';
import { type Granted, narrowedAudience, refreshedScope } from '../../src/authorization/tokens/granted.ts';
import { countIssued, makeAccessToken, tokenResponse } from '../../src/authorization/tokens/issue.ts';
import { seconds } from '../../src/base/clock.ts';
import { sha256 } from '../../src/base/secret.ts';
import { OAuthError } from '../../src/oauth/errors.ts';
import { scopeList } from '../../src/oauth/scope.ts';
import type { AccessTokenRecord } from '../../src/storage/records/records.ts';

/** A client exchanges its own token for one with fewer rights, to pass it to another program: RFC 8693 in small. */
export const narrow: Grant = {
  parameters: ['subject_token', 'scope', 'resource'],
  async handle(request, service) {
    const held = await heldToken(request, service);
    const granted = narrowed(request, held);
    const access = await makeAccessToken(service, granted);
    if (access.record !== undefined) await service.records.saveAccessToken(access.record);
    countIssued(service, 'narrow', access);
    return tokenResponse(service, granted, { access });
  },
};

/** The token is active, and was issued to the client that presents it. */
async function heldToken({ client, parameters }: TokenRequest, service: Service): Promise<AccessTokenRecord> {
  const hash = sha256(parameters.require('subject_token'));
  const found = await service.records.findAccessToken(hash, seconds(service.clock));
  if (found === undefined) throw new OAuthError('invalid_grant', { detail: 'unknown, expired or revoked' });
  if (found.clientId !== client.id) throw new OAuthError('invalid_grant', { detail: 'of another client' });
  return found;
}

/** It lives no longer than its original, and ends with the same grant. */
function narrowed({ client, parameters }: TokenRequest, held: AccessTokenRecord): Granted {
  return {
    client,
    subject: held.subject,
    account: undefined,
    scope: refreshedScope(parameters.get('scope'), scopeList(held.scope), client.scope),
    audience: narrowedAudience(parameters.all('resource'), held.audience),
    grantId: held.grantId,
    authTime: held.authTime,
    notAfter: held.expiresAt,
  };
}
