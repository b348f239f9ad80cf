import type { Endpoint } from '../http/endpoint.ts';
import { sendDocument } from '../http/public-document.ts';
import type { Service } from '../service/service.ts';

/** RFC 7517 §5: public keys only. */
export function jwksEndpoint({ keys }: Service): Endpoint {
  return {
    name: 'jwks',
    method: 'GET',
    paths: ['/oauth2/jwks'],
    handle: (request, reply) => sendDocument(request, reply, keys.current.jwks),
  };
}
