import type { FastifyReply, FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { formatScope } from '../../oauth/scope.ts';
import type { Premises } from '../../storage/records/records.ts';
import type { PageContext } from '../browser/page-context.ts';
import { findSignedInUser } from '../browser/signed-in-user.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import { fromOriginsWithCookies, withCookies } from '../http/cors.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readForm } from '../http/form.ts';
import { limitClient, limitSession } from '../http/issuing-limit.ts';
import { knowOrigins, originsOf } from '../http/redirect-origins.ts';
import { authenticatedAccount, authenticateUser } from '../login/authenticate-user.ts';
import { type Account, judgedPassword } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import { grantedScope } from '../tokens/granted.ts';
import { makeCode } from '../tokens/make-code.ts';
import { requireSessionClient } from './session-client.ts';

export interface SessionCodeResponse {
  readonly code: string;
  readonly expires_in: number;
}

interface Asking {
  readonly request: FastifyRequest;
  readonly client: RegisteredClient;
  readonly parameters: Parameters;
}

/** The authenticated user and the scope that they grant. */
interface Shown {
  readonly account: Account;
  readonly authTime: number;
  readonly scope: readonly string[];
  readonly premises: Premises;
}

/** The front end of the browserless exchange: a code for the user, which only the back end can exchange. */
export function sessionCodeEndpoint(front: PageContext): Endpoint {
  const { service } = front;
  return {
    name: 'session_code',
    method: 'POST',
    paths: ['/oauth2/session/code'],
    headers: { 'referrer-policy': 'no-referrer' },
    cors: fromOriginsWithCookies(knowOrigins(service, ({ session }) => session)),
    async handle(request, reply) {
      const parameters = readForm(service, request);
      const client = await namedClient(service, request, parameters);
      const asking = { request, client, parameters };
      const isFromClient = openToClient(asking, reply);
      const isTyped = parameters.get('username') !== undefined || parameters.get('password') !== undefined;
      // Another site's page must not even cause failed attempts for its visitor, because failures count.
      if (!isFromClient && (!isTyped || request.headers.origin !== undefined))
        throw new OAuthError('invalid_request', {
          description: 'The Origin matches no redirect address of the client.',
        });
      return giveCode(service, client, await (isTyped ? byPassword(service, asking) : byCookie(front, asking)));
    },
  };
}

/** A front end has no secret, so its code is worthless without the back end's. */
async function namedClient(
  { clients }: Service,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<RegisteredClient> {
  const client = await clients.find(parameters.require('client_id'));
  if (client === undefined) throw new OAuthError('unknown_client');
  request.clientId = client.id;
  return requireSessionClient(client);
}

/** Only a page of this client can read the answer. Only for such a page does the cookie prove the user. */
function openToClient({ request, client }: Asking, reply: FastifyReply): boolean {
  const { origin } = request.headers;
  if (origin === undefined || !originsOf(client).has(origin)) return false;
  reply.headers(withCookies(origin));
  return true;
}

/**
 * A user who types a password into the client trusts the client with this request, as with the password grant (RFC 6749 §4.3).
 */
async function byPassword(service: Service, { request, client, parameters }: Asking): Promise<Shown> {
  if (!client.grantTypes.includes('password'))
    throw new OAuthError('unauthorized_client', { description: 'The client is not allowed to use passwords.' });
  const [username, password] = [parameters.require('username'), parameters.require('password')];
  const scope = grantedScope(parameters.get('scope'), client.scope, service.config.scope_excess);
  await limitClient(service, client, request);
  const typed = { username, password, caller: request, clientId: client.id };
  const account = authenticatedAccount(await authenticateUser(service, typed));
  return { account, authTime: seconds(service.clock), scope, premises: judgedPassword(account) };
}

/** The client gets a code. Consent to tokens of the implicit grant does not include codes. */
const GRANT = 'authorization_code';

/**
 * No user is asked here, so the client gets at most what the user granted on the consent page. Without an earlier consent it
 * gets nothing, not even a name for the user.
 */
async function byCookie(front: PageContext, { request, client, parameters }: Asking): Promise<Shown> {
  const visitor = await findSignedInUser(front, request);
  if (visitor === undefined)
    throw new OAuthError('login_required', { description: 'No user is signed in to this browser.' });
  const { account, session } = visitor;
  const { service } = front;
  await limitSession(service, { account, session: session.hash }, { client, caller: request });
  const consent = await service.records.findConsent(account.subject, client.id);
  const known = consent?.byGrant[GRANT];
  if (known === undefined)
    throw new OAuthError('consent_required', { description: 'The user has not given this client access.' });
  const granted = known.filter((scope) => client.scope.includes(scope));
  const asked = grantedScope(parameters.get('scope'), client.scope, service.config.scope_excess);
  const scope = withinConsent(service, { parameters, asked, granted });
  const relied = { subject: account.subject, clientId: client.id, scope: formatScope(scope), grantType: GRANT };
  return {
    account,
    authTime: session.authenticatedAt,
    scope,
    premises: { session: session.hash, consent: relied },
  };
}

interface Wanted {
  readonly parameters: Parameters;
  readonly asked: readonly string[];
  readonly granted: readonly string[];
}

function withinConsent({ config }: Service, { parameters, asked, granted }: Wanted): readonly string[] {
  const scope = asked.filter((name) => granted.includes(name));
  const isTooMuch = scope.length === 0 || (config.scope_excess === 'reject' && scope.length < asked.length);
  if (parameters.get('scope') !== undefined && isTooMuch)
    throw new OAuthError('consent_required', { description: 'The user has not granted this scope to the client.' });
  return scope;
}

/** Only the client binds this code: no browser is redirected, and the exchange requires the client's secret. */
const unbound = { audience: [], redirectUri: undefined, redirectUriSent: false, challenge: undefined };

async function giveCode(
  service: Service,
  client: RegisteredClient,
  { premises, ...shown }: Shown,
): Promise<SessionCodeResponse> {
  const { text, record: code } = makeCode(service, { use: 'session', clientId: client.id, ...unbound, ...shown });
  const saved = await service.records.saveCode({ code, consent: undefined, transaction: undefined }, premises);
  if (saved === 'outdated')
    throw new OAuthError('access_denied', { description: 'The session or the consent ended during the request.' });
  return { code: text, expires_in: code.expiresAt - code.issuedAt };
}
