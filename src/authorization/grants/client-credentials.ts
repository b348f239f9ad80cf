import { OAuthError } from '../../oauth/errors.ts';
import type { Service } from '../service/service.ts';
import { type Granted, grantedAudience, grantedScope } from '../tokens/granted.ts';
import { countIssued, makeAccessToken, tokenResponse } from '../tokens/issue.ts';
import type { Grant, TokenRequest } from './grant.ts';

/** RFC 6749 §4.4: the client acts for itself. No refresh token (§4.4.3). */
export const clientCredentials: Grant = {
  parameters: ['scope', 'resource'],
  async handle(request, service) {
    const granted = grantedTo(request, service);
    const access = await makeAccessToken(service, granted);
    if (access.record !== undefined) await service.records.saveAccessToken(access.record);
    countIssued(service, 'client_credentials', access);
    return tokenResponse(service, granted, { access });
  },
};

function grantedTo({ client, parameters }: TokenRequest, { config }: Service): Granted {
  if (client.isPublic)
    throw new OAuthError('unauthorized_client', { description: 'A public client cannot use this grant type.' });
  return {
    client,
    subject: client.id,
    account: undefined,
    scope: grantedScope(parameters.get('scope'), client.scope, config.scope_excess),
    audience: grantedAudience(parameters.all('resource'), config.resources),
    grantId: undefined,
    authTime: undefined,
    notAfter: undefined,
  };
}
