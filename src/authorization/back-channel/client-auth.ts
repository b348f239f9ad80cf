import type { FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { sameBytes, sha256 } from '../../base/secret.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { type ClientAuthMethod, clientAuthMethods } from '../../config/words/client-auth-methods.ts';
import { formatChallenge } from '../../http-auth/challenge.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { type Parameters, tryFormDecode } from '../../oauth/parameters.ts';
import { isSelfMade, type RegisteredClient } from '../clients/clients.ts';
import type { ClientLookup } from '../clients/lookup.ts';
import { formFieldLines } from '../http/form.ts';
import type { Service } from '../service/service.ts';
import { ASSERTION_TYPE, type ClientAssertion, isMadeBy, readAssertion } from './client-assertion.ts';

interface ClientCredentials {
  readonly id: string;
  readonly proof: Proof;
}

/** `none`: the client sends only its id. */
type Proof =
  | { readonly kind: 'none' }
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'assertion'; readonly assertion: ClientAssertion };

/**
 * Reads the credentials of one authentication method from a request. A field may have several readings: they are in the
 * order in which to try them. Undefined: the request does not use the method. A text: why the credentials are unusable.
 */
type Present = (
  authorization: string | undefined,
  parameters: Parameters,
  service: Service,
) => readonly ClientCredentials[] | string | undefined;

/** `token_endpoint_auth_method` → how to find it in a request. A client with a secret may use both methods for it. */
const methods: Readonly<Record<ClientAuthMethod, Present>> = {
  client_secret_basic: (authorization) => (authorization === undefined ? undefined : readBasic(authorization)),
  client_secret_post(_authorization, parameters) {
    const secret = parameters.get('client_secret');
    return secret === undefined ? undefined : [withSecret(parameters.get('client_id') ?? '', secret)];
  },
  none(authorization, parameters) {
    const id = parameters.get('client_id');
    const isBare = authorization === undefined && proofs.every((name) => parameters.get(name) === undefined);
    return isBare && id !== undefined ? [{ id, proof: { kind: 'none' } }] : undefined;
  },
  private_key_jwt(_authorization, parameters, service) {
    const [type, text] = [parameters.get('client_assertion_type'), parameters.get('client_assertion')];
    if (type === undefined && text === undefined) return undefined;
    if (type !== ASSERTION_TYPE || text === undefined)
      return `Send client_assertion, and ${ASSERTION_TYPE} as client_assertion_type.`;
    const assertion = readAssertion(service, text);
    if (typeof assertion === 'string') return `The client assertion is not acceptable: ${assertion}.`;
    return [{ id: assertion.clientId, proof: { kind: 'assertion', assertion } }];
  },
};

const proofs = ['client_secret', 'client_assertion', 'client_assertion_type'];

function withSecret(id: string, secret: string): ClientCredentials {
  return { id, proof: { kind: 'secret', secret } };
}

/** The methods that at least one client can use. `more`: also the methods of clients that are not known in advance. */
export function methodsInUse(
  clients: readonly RegisteredClient[],
  more: readonly ClientAuthMethod[],
): readonly ClientAuthMethod[] {
  const isUsed = {
    client_secret_basic: true,
    client_secret_post: true,
    none: more.includes('none') || clients.some(({ isPublic }) => isPublic),
    private_key_jwt: more.includes('private_key_jwt') || clients.some(({ assertionKeys }) => assertionKeys),
  };
  return clientAuthMethods.filter((method) => isUsed[method]);
}

/** RFC 6749 §2.3: the authenticated client, or the error `invalid_client`. */
export async function authenticateClient(
  service: Service,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<RegisteredClient> {
  const credentials = presentedCredentials(service, request, parameters);
  const { shown, named } = await matchingClient(service, credentials, request);
  if (shown === undefined) throw await wrongCredentials(service, { credentials, named }, request);
  request.clientId = shown.id;
  return shown;
}

interface WrongCredentials {
  readonly credentials: readonly ClientCredentials[];
  /** The client with the given id, if it exists. */
  readonly named: RegisteredClient | undefined;
}

/**
 * Only wrong secrets are throttled. A right secret always passes: otherwise a neighbour at a gateway's address could lock out
 * the gateway and its users. The secret's length is the protection against guessing.
 */
async function wrongCredentials(
  service: Service,
  wrong: WrongCredentials,
  { ip, id: request }: FastifyRequest,
): Promise<OAuthError> {
  // An unknown id may be a secret in the wrong field, so it is not logged.
  const client_id = wrong.named?.id;
  await lookAsLong(service, wrong);
  const attempt = await service.throttle.attempt(throttledName(wrong.named), ip);
  await attempt.fail();
  const facts = { client_id, address: ip, request_id: request };
  if (attempt.retryAfter === undefined) {
    service.audit.record('client_refused', facts);
    return invalidClient(service, client_id === undefined ? 'unregistered_client' : 'invalid_client');
  }
  service.audit.count('client_throttled', facts);
  return new OAuthError('too_many_attempts', { headers: { 'retry-after': String(attempt.retryAfter) } });
}

/** A client of the file is found without the store. This lookup makes the time equal to the time for an unknown id. */
async function lookAsLong({ records, clock }: Service, { credentials, named }: WrongCredentials): Promise<void> {
  if (named?.source !== 'file') return;
  for (const { id } of credentials) await records.findClient(id, seconds(clock));
}

/**
 * One name for all unknown ids, and one for all clients that registered themselves: invented ids must not fill the counters,
 * which drop the oldest entry.
 */
function throttledName(named: RegisteredClient | undefined): string {
  if (named === undefined) return 'unregistered client\n';
  return isSelfMade(named) ? 'client that registered itself\n' : `client\n${named.id}`;
}

function presentedCredentials(
  service: Service,
  request: FastifyRequest,
  parameters: Parameters,
): readonly ClientCredentials[] {
  const authorization = request.headers.authorization;
  if (formFieldLines(request.raw, 'authorization').length > 1) throw twoMethods();
  const presented = Object.values(methods).flatMap((present: Present) => {
    const credentials = present(authorization, parameters, service);
    return credentials === undefined ? [] : [credentials];
  });
  if (presented.length > 1) throw twoMethods();
  const [credentials = []] = presented;
  if (typeof credentials === 'string') throw invalidClient(service, 'invalid_client', { description: credentials });
  if (credentials.length === 0)
    throw invalidClient(service, 'invalid_client', { detail: 'no usable client authentication' });
  const named = parameters.get('client_id');
  if (named !== undefined && credentials.every(({ id }) => id !== named)) throw twoMethods();
  return credentials;
}

async function matchingClient(
  service: Service,
  credentials: readonly ClientCredentials[],
  request: FastifyRequest,
): Promise<{ readonly shown: RegisteredClient | undefined; readonly named: RegisteredClient | undefined }> {
  let named: RegisteredClient | undefined;
  for (const each of credentials) {
    const client = await lookedUp(service, each, request);
    named ??= client;
    if (await isShown(service, client, { ...each, request })) return { shown: client, named };
  }
  return { shown: undefined, named };
}

/** A client with a metadata document has no secret, so a secret causes no request for a document. */
async function lookedUp(
  service: Service,
  { id, proof }: ClientCredentials,
  { ip }: FastifyRequest,
): Promise<RegisteredClient | undefined> {
  if (proof.kind === 'secret') return service.clients.find(id);
  const looked = await service.clients.look(id, ip);
  if (looked.kind === 'found') return looked.client;
  if (looked.kind === 'unknown') return undefined;
  throw withoutDocument(service, looked);
}

/** The metadata document or the key set of a client cannot be read. */
function withoutDocument(
  service: Service,
  looked: Extract<ClientLookup, { readonly kind: 'refused' | 'outage' | 'limited' }>,
): OAuthError {
  switch (looked.kind) {
    case 'refused':
      return invalidClient(service, 'invalid_client', { description: looked.reason, detail: looked.detail });
    case 'outage':
      return hostUnanswered(looked);
    default:
      return new OAuthError('too_many_requests', { headers: { 'retry-after': String(looked.retryAfter) } });
  }
}

/** Seconds. The failure is remembered for a minute. */
const HOST_AGAIN = 60;

function hostUnanswered({
  reason,
  detail = reason,
}: {
  readonly reason: string;
  readonly detail?: string;
}): OAuthError {
  const headers = { 'retry-after': String(HOST_AGAIN) };
  return new OAuthError('client_host_unanswered', { description: reason, detail, headers });
}

interface Shown extends ClientCredentials {
  readonly request: FastifyRequest;
}

/** Rejects if the keys of the client cannot be read now. */
async function isShown(
  service: Service,
  client: RegisteredClient | undefined,
  { proof, request }: Shown,
): Promise<boolean> {
  if (proof.kind === 'none') return client?.isPublic === true;
  if (proof.kind === 'secret') return isSecretOf(client, proof.secret);
  const isMade = client !== undefined && (await isMadeBy(service, client, proof.assertion, request.ip));
  if (typeof isMade === 'boolean') return isMade;
  throw withoutDocument(service, isMade);
}

/** Takes the same time for an unknown client as for a wrong secret. */
function isSecretOf(client: RegisteredClient | undefined, secret: string): boolean {
  const shown = sha256(secret);
  const hashes = client?.secretHashes ?? [];
  return (hashes.length === 0 ? [noSecret] : hashes).filter((hash) => sameBytes(shown, hash)).length > 0;
}

const noSecret = new Uint8Array(32);

function twoMethods(): OAuthError {
  return new OAuthError('invalid_request', {
    description: 'The request authenticates more than once, or names two clients.',
  });
}

/** RFC 9110 §15.5.2: a 401 always carries a challenge. */
function invalidClient(
  { config }: Service,
  code: 'invalid_client' | 'unregistered_client',
  { description, detail }: { readonly description?: string; readonly detail?: string | undefined } = {},
): OAuthError {
  const challenge = formatChallenge({
    scheme: 'Basic',
    parameters: [
      ['realm', config.issuer],
      ['error', 'invalid_client'],
    ],
  });
  return new OAuthError(code, {
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
    headers: { 'www-authenticate': challenge },
  });
}

const basic = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The possible readings of an Authorization field. RFC 6749 §2.3.1 form-encodes id and secret before Basic joins them, and many
 * clients omit this step. So the decoded reading comes first, and the raw one second. Empty if the field is not Basic.
 */
function readBasic(authorization: string): readonly ClientCredentials[] {
  const encoded = basic.exec(authorization)?.[1];
  const text = encoded === undefined ? undefined : decodeUtf8(Buffer.from(encoded, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1) return [];
  const raw = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { id: tryFormDecode(raw.id), secret: tryFormDecode(raw.secret) };
  const readings =
    decoded.id === undefined || decoded.secret === undefined
      ? [raw]
      : [{ id: decoded.id, secret: decoded.secret }, raw];
  return readings
    .filter(({ id, secret }) => id !== '' && secret !== '')
    .map(({ id, secret }) => withSecret(id, secret));
}
