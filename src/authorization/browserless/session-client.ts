import { OAuthError } from '../../oauth/errors.ts';
import type { RegisteredClient } from '../clients/clients.ts';

/** Returns the client if it has a secret and `session: true`; otherwise throws. */
export function requireSessionClient(client: RegisteredClient): RegisteredClient {
  if (client.session && !client.isPublic) return client;
  throw new OAuthError('unauthorized_client', {
    description: 'The client is not allowed to use the browserless exchange.',
  });
}
