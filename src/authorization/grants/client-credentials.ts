import { OAuthError } from '../../oauth/errors.ts';
import { grantedAudience } from '../audience.ts';
import type { Grant } from '../grant.ts';
import { grantedScope } from '../granted-scope.ts';

/** RFC 6749 §4.4: the client acts for itself. No refresh token (§4.4.3). */
export const clientCredentials: Grant = {
  parameters: ['scope', 'resource'],
  handle({ client, parameters }, { config }) {
    if (client.secretHash === undefined) {
      throw new OAuthError('unauthorized_client', { description: 'A public client cannot use this grant type.' });
    }
    const scope = grantedScope(parameters.get('scope'), client.scope, config.scope_excess);
    const audience = grantedAudience(parameters.all('resource'), config.resources);
    return { client, subject: client.id, scope, audience };
  },
};
