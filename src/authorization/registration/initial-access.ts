import type { FastifyRequest } from 'fastify';
import { REGISTRATION_SCOPE } from '../../config/words/registration-scope.ts';
import { bearerChallenge, parseBearer } from '../../http-auth/bearer.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { scopeList } from '../../oauth/scope.ts';
import { formFieldLines } from '../http/form.ts';
import type { Service } from '../service/service.ts';
import { THIS_SERVICE } from '../tokens/token-kind.ts';
import { tokenKind } from '../tokens/token-kinds.ts';

/** RFC 7591 §3: the initial access token is an access token of this service. Returns its client. */
export async function requireInitialToken(service: Service, request: FastifyRequest): Promise<string | undefined> {
  if (service.config.registration.dynamic.initial_access_token === 'none') return undefined;
  const token = bearerOf(request);
  if (token === undefined) throw wrongToken(service, undefined);
  const active = await tokenKind(token)?.inspect(service, token, THIS_SERVICE);
  if (active?.token_type !== 'Bearer') throw wrongToken(service, 'invalid_token');
  if (!scopeList(active.scope).includes(REGISTRATION_SCOPE)) throw wrongToken(service, 'insufficient_scope');
  return active.client_id;
}

/** Undefined without exactly one Bearer token. */
export function bearerOf({ raw }: FastifyRequest): string | undefined {
  const [line, ...more] = formFieldLines(raw, 'authorization');
  const read = line === undefined || more.length > 0 ? undefined : parseBearer(line);
  return read?.kind === 'token' ? read.token : undefined;
}

/** RFC 6750 §3. A request without a token gets no error code. */
export function wrongToken({ config }: Service, error: 'invalid_token' | 'insufficient_scope' | undefined): OAuthError {
  const scope = error === 'insufficient_scope' ? REGISTRATION_SCOPE : undefined;
  const challenge = bearerChallenge({ realm: config.issuer, error, scope });
  return new OAuthError(error ?? 'invalid_token', {
    ...(scope !== undefined && { description: `The access token does not have the scope ${scope}.` }),
    headers: { 'www-authenticate': challenge },
  });
}
