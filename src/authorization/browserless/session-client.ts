import { OAuthError } from '../../oauth/errors.ts';
import type { RegisteredClient } from '../clients/clients.ts';

/** Only clients with a secret and `session: true`; answers with the client. */
export function requireSessionClient(client: RegisteredClient): RegisteredClient {
  if (client.session && !client.isPublic) return client;
  throw new OAuthError('unauthorized_client', {
    description: 'The client is not allowed to use the browserless exchange.',
  });
}
