import { authenticateClient } from '../client-auth.ts';
import type { Endpoint } from '../endpoint.ts';
import { readForm } from '../form.ts';
import type { Service } from '../service.ts';
import { tokenKind } from '../token-kinds.ts';

/** RFC 7662. A caller without the permission learns nothing: for it every token is inactive (§4). */
export function introspectEndpoint(service: Service): Endpoint {
  return {
    name: 'introspect',
    method: 'POST',
    paths: ['/oauth2/introspect'],
    async handle(request) {
      const parameters = readForm(service, request);
      const caller = await authenticateClient(service, request, parameters);
      const token = parameters.require('token');
      const answer = await tokenKind(token)?.inspect(service, token, caller);
      service.metrics.introspected(answer !== undefined);
      return answer ?? { active: false };
    },
  };
}
