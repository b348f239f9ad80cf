import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readForm } from '../http/form.ts';
import type { Service } from '../service/service.ts';
import { tokenKind } from '../tokens/token-kinds.ts';
import { authenticateClient } from './client-auth.ts';

/**
 * RFC 7662. For a caller without the permission, every token is inactive (§4). A caller without authentication may not ask:
 * with a stolen refresh token, it could watch for the moment at which the owner uses the token.
 */
export function introspectEndpoint(service: Service): Endpoint {
  const told = new Set<string>();
  return {
    name: 'introspect',
    method: 'POST',
    paths: ['/oauth2/introspect'],
    async handle(request) {
      const parameters = readForm(service, request);
      const caller = await authenticateClient(service, request, parameters);
      if (caller.isPublic) throw unauthenticated();
      tellOnce(told, request, caller);
      const token = parameters.require('token');
      const answer = await tokenKind(token)?.inspect(service, token, caller);
      service.metrics.introspected(answer !== undefined);
      return answer ?? { active: false };
    },
  };
}

/** Without this log line, the operator of a gateway without the permission sees only inactive tokens, and no reason. */
function tellOnce(told: Set<string>, { log }: FastifyRequest, { id, introspect }: RegisteredClient): void {
  if (introspect || told.has(id)) return;
  told.add(id);
  log.warn(
    { client_id: id },
    'the client is not allowed to introspect, so every access token seems inactive to it: set `introspect: true` for the client',
  );
}

function unauthenticated(): OAuthError {
  return new OAuthError('invalid_client', { description: 'A public client cannot introspect.' });
}
