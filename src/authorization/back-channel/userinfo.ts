import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdTokenAlgorithm } from '../../config/schema/authorization.ts';
import { bearerChallenge, parseBearer } from '../../http-auth/bearer.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { scopeList } from '../../oauth/scope.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { formFieldLines, readForm } from '../http/form.ts';
import { claimsOf, claimsWithin, releasedClaims } from '../openid/claims.ts';
import { idTokenAlgorithm } from '../openid/id-token.ts';
import { subjectFor } from '../openid/subject.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import { THIS_SERVICE } from '../tokens/token-kind.ts';
import { tokenKind } from '../tokens/token-kinds.ts';

type Wrong = 'invalid_request' | 'invalid_token' | 'insufficient_scope';

/** OpenID Connect Core §5.3. The token is in the header, or in the form of a POST (RFC 6750 §2.1, §2.2). */
export function userinfoEndpoints(service: Service): readonly Endpoint[] {
  const row = { name: 'userinfo', paths: ['/oauth2/userinfo'] } as const;
  const answer = (request: FastifyRequest, reply: FastifyReply) => tell(service, request, reply);
  return [
    { ...row, method: 'GET', handle: answer },
    { ...row, method: 'POST', isBodyOptional: true, handle: answer },
  ];
}

async function tell(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const token = shownToken(service, request);
  if (token === undefined) throw wrong(service, undefined);
  const { client, account, scope, grantId } = await ownerOf(service, token);
  request.clientId = client.id;
  const wanted = grantId === undefined ? undefined : await service.records.findOpenidFacts(grantId);
  // The client's registration may have changed since the user allowed them.
  const single = claimsWithin(service.config, client.scope, wanted?.claims?.userinfo);
  const claims = new Set([...claimsOf(service.config, scope), ...single]);
  const body = {
    ...releasedClaims(service.config, account, [...claims]),
    sub: subjectFor(service, client, account.subject),
  };
  const alg = signatureOf(service, client);
  return alg === undefined ? body : sendSigned(service, client, { reply, body, alg });
}

/** Undefined without a token. More than one place is `invalid_request` (RFC 6750 §2). */
function shownToken(service: Service, request: FastifyRequest): string | undefined {
  const [line, ...more] = formFieldLines(request.raw, 'authorization');
  const inForm = request.method === 'POST' ? readForm(service, request).get('access_token') : undefined;
  const inHeader = line === undefined ? undefined : parseBearer(line);
  if (more.length > 0 || inHeader?.kind === 'malformed' || (inHeader?.kind === 'token' && inForm !== undefined))
    throw wrong(service, 'invalid_request');
  return inHeader?.kind === 'token' ? inHeader.token : inForm;
}

interface Owner {
  readonly client: RegisteredClient;
  readonly account: Account;
  readonly scope: readonly string[];
  readonly grantId: string | undefined;
}

async function ownerOf(service: Service, token: string): Promise<Owner> {
  const active = await tokenKind(token)?.inspect(service, token, THIS_SERVICE);
  if (active?.token_type !== 'Bearer') throw wrong(service, 'invalid_token');
  const client = await service.clients.glance(active.client_id);
  const account = await service.accounts.bySubject(active.sub);
  const scope = scopeList(active.scope);
  if (!scope.includes('openid')) throw wrong(service, 'insufficient_scope');
  // A token that a client got for itself has no user, whatever its scope.
  if (client === undefined || account === undefined) throw wrong(service, 'invalid_token');
  return { client, account, scope, grantId: active.gid };
}

/** RFC 6750 §3. A request without a token gets no error code. */
function wrong({ config }: Service, error: Wrong | undefined): OAuthError {
  const scope = error === 'insufficient_scope' ? 'openid' : undefined;
  const challenge = bearerChallenge({ realm: config.issuer, error, scope });
  return new OAuthError(error ?? 'invalid_token', { headers: { 'www-authenticate': challenge } });
}

/** Undefined: the client gets JSON. `userinfo_signed` is for clients without a choice of their own. */
function signatureOf(service: Service, client: RegisteredClient): IdTokenAlgorithm | undefined {
  const byDefault = service.config.openid.userinfo_signed ? idTokenAlgorithm(service, client) : undefined;
  return client.userinfoAlg ?? byDefault;
}

interface SignedAnswer {
  readonly reply: FastifyReply;
  readonly body: Readonly<Record<string, unknown>>;
  readonly alg: IdTokenAlgorithm;
}

/** OpenID Connect Core §5.3.2. */
async function sendSigned(
  service: Service,
  client: RegisteredClient,
  { reply, body, alg }: SignedAnswer,
): Promise<FastifyReply> {
  const sign = service.keys.signWith(alg);
  const token = await sign('JWT', { ...body, iss: service.config.issuer, aud: client.id });
  return reply.type('application/jwt').send(token);
}
