import { OAuthError } from '../../oauth/errors.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readForm } from '../http/form.ts';
import type { Service } from '../service/service.ts';
import { tokenKind } from '../tokens/token-kinds.ts';
import { authenticateClient } from './client-auth.ts';

/** RFC 7009. The answer for an unknown token is the same as for a revoked one (§2.2). Another client's token stays valid. */
export function revokeEndpoint(service: Service): Endpoint {
  return {
    name: 'revoke',
    method: 'POST',
    paths: ['/oauth2/revoke'],
    async handle(request, reply) {
      const parameters = readForm(service, request);
      const client = await authenticateClient(service, request, parameters);
      const token = parameters.require('token');
      const revocation = await tokenKind(token)?.revoke(service, token, client);
      if (revocation === 'other_client')
        throw new OAuthError('invalid_grant', { description: 'The token belongs to another client.' });
      if (revocation === 'revoked') {
        const facts = { client_id: client.id, address: request.ip, request_id: request.id };
        service.audit.record('token_revoked', facts);
      }
      return reply.code(200).send();
    },
  };
}
