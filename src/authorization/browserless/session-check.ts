import { seconds } from '../../base/clock.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { authenticateClient } from '../back-channel/client-auth.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readForm } from '../http/form.ts';
import type { Service } from '../service/service.ts';
import { provesKey } from '../tokens/session-key.ts';
import { invalidSignature, sessionErrors } from './errcode.ts';
import { requireSessionClient } from './session-client.ts';

/** Checks that an application's session key is still the user's current one. The request does not send the key. */
export function sessionCheckEndpoint(service: Service): Endpoint {
  return {
    name: 'session_check',
    method: 'POST',
    paths: ['/oauth2/session/check'],
    headers: { 'referrer-policy': 'no-referrer' },
    ...sessionErrors(service, { invalid_grant: invalidSignature }),
    async handle(request) {
      const parameters = readForm(service, request);
      const client = requireSessionClient(await authenticateClient(service, request, parameters));
      const [openid, signature] = [parameters.require('openid'), parameters.require('signature')];
      const now = seconds(service.clock);
      const found = await service.records.findSessionKeyByOpenid(client.id, openid, now);
      if (!provesKey(signature, found?.key))
        throw new OAuthError('invalid_grant', {
          description: 'The signature does not match the session key, or the session key has expired.',
        });
      return { valid: true };
    },
  };
}
