import { seconds } from '../../base/clock.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Grant } from '../grants/grant.ts';
import { type Grants, grants } from '../grants/grants.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readForm } from '../http/form.ts';
import { limitClient } from '../http/issuing-limit.ts';
import type { Service } from '../service/service.ts';
import { authenticateClient } from './client-auth.ts';

/** RFC 6749 §3.2. */
export function tokenEndpoint(service: Service, table = grants): Endpoint {
  return {
    name: 'token',
    method: 'POST',
    paths: ['/oauth2/token'],
    async handle(request) {
      const parameters = readForm(service, request);
      const client = await authenticateClient(service, request, parameters);
      const grantType = parameters.require('grant_type');
      const grant = supportedGrant(grantType, table);
      requireAllowed(client, grantType);
      await limitClient(service, client, request);
      await keepUsed(service, client);
      return grant.handle({ client, parameters: parameters.only(grant.parameters), caller: request }, service);
    },
  };
}

function supportedGrant(grantType: string, table: Grants): Grant {
  const grant = table.get(grantType);
  if (grant === undefined) throw new OAuthError('unsupported_grant_type');
  return grant;
}

function requireAllowed(client: RegisteredClient, grantType: string): void {
  if (!client.grantTypes.includes(grantType)) throw new OAuthError('unauthorized_client');
}

/** Seconds between two notes of the use of one client. */
const NOTE_EVERY = 86_400;

/** A client that registered itself is removed if it is not used for a long time. */
async function keepUsed({ records, clock }: Service, { id, usedAt }: RegisteredClient): Promise<void> {
  const now = seconds(clock);
  if (usedAt !== undefined && now - usedAt >= NOTE_EVERY) await records.useRegistration(id, now);
}
