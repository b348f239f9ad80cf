import { seconds } from '../../base/clock.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { authenticatedAccount, authenticateUser } from '../login/authenticate-user.ts';
import { type Account, judgedPassword } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import { grantedAudience, grantedScope } from '../tokens/granted.ts';
import { countIssued, tokenResponse, withCurrentKey } from '../tokens/issue.ts';
import { makeFirstTokens, mayRefresh, minted, newGrantId, type UserGrant } from '../tokens/user-grant.ts';
import type { Grant, TokenRequest } from './grant.ts';

/** RFC 6749 §4.3. Off unless a client lists it, because the client sees the password (RFC 9700 §2.4). */
export const password: Grant = {
  parameters: ['username', 'password', 'scope', 'resource'],
  async handle(request, service) {
    const { client, parameters } = request;
    const scope = grantedScope(parameters.get('scope'), client.scope, service.config.scope_excess);
    const audience = grantedAudience(parameters.all('resource'), service.config.resources);
    const account = await userOf(request, service);
    const grant = { id: newGrantId(), client, account, scope, audience, authTime: seconds(service.clock) };
    const first = await withCurrentKey(() => save(service, grant));
    countIssued(service, 'password', first.access);
    return tokenResponse(service, first.granted, first);
  },
};

async function save(service: Service, grant: UserGrant) {
  const { client, account, scope, audience } = grant;
  const first = await makeFirstTokens(service, grant, { scope, audience, refresh: mayRefresh(client) });
  const saved = await service.records.saveTokens(minted(first), judgedPassword(account));
  if (saved === 'outdated')
    throw new OAuthError('invalid_grant', { detail: 'the password changed during the request' });
  return saved === 'rekeyed' ? saved : first;
}

async function userOf({ client, parameters, caller }: TokenRequest, service: Service): Promise<Account> {
  const [username, secret] = [parameters.require('username'), parameters.require('password')];
  const outcome = await authenticateUser(service, { username, password: secret, caller, clientId: client.id });
  return authenticatedAccount(outcome);
}
