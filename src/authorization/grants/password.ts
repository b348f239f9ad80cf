import { randomBytes } from 'node:crypto';
import { seconds } from '../../base/clock.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { Account } from '../accounts.ts';
import { grantedAudience } from '../audience.ts';
import { authenticateUser, type UserAuthentication } from '../authenticate-user.ts';
import type { Grant, TokenRequest } from '../grant.ts';
import { grantedScope } from '../granted-scope.ts';
import { tokenResponse } from '../issue.ts';
import type { Service } from '../service.ts';
import { makeFirstTokens } from '../user-grant.ts';

/** RFC 6749 §4.3: off unless a client lists it; the client sees the password (RFC 9700 §2.4). */
export const password: Grant = {
  parameters: ['username', 'password', 'scope', 'resource'],
  async handle(request, service) {
    const { client, parameters } = request;
    const scope = grantedScope(parameters.get('scope'), client.scope, service.config.scope_excess);
    const audience = grantedAudience(parameters.all('resource'), service.config.resources);
    const account = await userOf(request, service);
    const id = randomBytes(16).toString('base64url');
    const grant = { id, client, account, scope, audience, authTime: seconds(service.clock) };
    const first = await makeFirstTokens(service, grant, { scope, audience });
    await service.records.saveTokens({
      grant: first.grant,
      access: first.access.record,
      refresh: first.refresh?.record,
    });
    return tokenResponse(service, first.granted, { ...first, grantType: 'password' });
  },
};

async function userOf({ client, parameters, caller }: TokenRequest, service: Service): Promise<Account> {
  const [username, secret] = [parameters.require('username'), parameters.require('password')];
  const outcome = await authenticateUser(service, { username, password: secret, caller, clientId: client.id });
  return authenticatedAccount(outcome);
}

/** RFC 6749 §5.2 for what became of a login on the back channel. */
export function authenticatedAccount(outcome: UserAuthentication): Account {
  switch (outcome.kind) {
    case 'authenticated':
      return outcome.account;
    case 'refused':
      throw new OAuthError('invalid_grant', { description: 'The username or the password is wrong.' });
    case 'throttled':
      throw new OAuthError('too_many_attempts', { headers: { 'retry-after': String(outcome.retryAfter) } });
    case 'outage':
      throw new OAuthError('temporarily_unavailable', { headers: { 'retry-after': String(outcome.retryAfter) } });
  }
}
