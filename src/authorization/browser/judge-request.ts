import type { FastifyRequest } from 'fastify';
import { OAuthError, type OAuthErrorCode } from '../../oauth/errors.ts';
import type { Parameters, ReadParameters } from '../../oauth/parameters.ts';
import { isSelfMade, type RegisteredClient } from '../clients/clients.ts';
import type { ClientLookup } from '../clients/lookup.ts';
import { readOpenidRequest } from '../openid/openid-request.ts';
import type { Service } from '../service/service.ts';
import { grantedAudience, grantedScope } from '../tokens/granted.ts';
import { answerWay } from './answer-way.ts';
import type { Addressed, AuthorizationRequest, ResponseType } from './authorization-request.ts';
import { asksOnlyForLogin } from './consent.ts';
import { isAddressOf } from './redirect-address.ts';
import { responseTypes } from './response-types.ts';

/** The client and its address. If either is wrong, the user sees a page and is not redirected. */
export async function judgeAddress(
  { clients }: Service,
  { parameters, duplicate }: ReadParameters,
  request: FastifyRequest,
): Promise<Addressed> {
  const id = parameters.get('client_id');
  if (id === undefined) throw duplicate ?? new OAuthError('invalid_request', missingClient);
  const looked = await clients.look(id, request.ip);
  if (looked.kind !== 'found') throw noClient(looked);
  const { client } = looked;
  request.clientId = client.id;
  const uiLocales = parameters.get('ui_locales');
  return { client, ...redirectAddress(client, parameters, duplicate), ...answerWay(parameters), uiLocales };
}

function noClient(looked: Exclude<ClientLookup, { readonly kind: 'found' }>): OAuthError {
  switch (looked.kind) {
    case 'unknown':
      return new OAuthError('unknown_client');
    case 'limited':
      return new OAuthError('too_many_requests', { headers: { 'retry-after': String(looked.retryAfter) } });
    default: {
      const code = looked.kind === 'refused' ? 'invalid_client_document' : 'invalid_client_host';
      return new OAuthError(code, { description: looked.reason, detail: looked.detail ?? looked.reason });
    }
  }
}

const missingClient = { description: 'The parameter client_id is missing.' };

function redirectAddress(client: RegisteredClient, parameters: Parameters, duplicate: OAuthError | undefined) {
  const sent = parameters.get('redirect_uri');
  if (sent !== undefined) {
    if (!isAddressOf(client, sent)) throw new OAuthError('redirect_refused');
    return { redirectUri: sent, redirectUriSent: true };
  }
  const [only, ...others] = client.redirectUris;
  if (duplicate !== undefined) throw duplicate;
  if (only === undefined || others.length > 0)
    throw new OAuthError('redirect_refused', { description: 'The parameter redirect_uri is missing.' });
  return { redirectUri: only, redirectUriSent: false };
}

/** Checks everything else. The client learns about faults here (RFC 6749 §4.1.2.1). */
export async function judgeRequest(
  service: Service,
  addressed: Addressed,
  { parameters, duplicate }: ReadParameters,
): Promise<AuthorizationRequest> {
  const { client } = addressed;
  if (duplicate !== undefined) throw duplicate;
  refuseUnsupported(parameters);
  const responseType = judgeResponseType(client, parameters);
  const scope = grantedScope(parameters.get('scope'), client.scope, service.config.scope_excess);
  refuseEmpty(client, scope);
  const openid = await readOpenidRequest(service, client, parameters, scope);
  const resources = parameters.all('resource');
  const isLoginOnly = asksOnlyForLogin({ scope, openid, resources });
  return {
    ...addressed,
    responseType,
    challenge: responseType.challenge ? judgeChallenge(client, parameters) : undefined,
    scope,
    isLoginOnly,
    audience: isLoginOnly ? [service.config.issuer] : grantedAudience(resources, service.config.resources),
    prompt: judgePrompt(parameters.get('prompt')),
    maxAge: judgeMaxAge(parameters.get('max_age')) ?? client.defaultMaxAge,
    loginHint: parameters.get('login_hint'),
    openid,
  };
}

/** Some APIs accept any token. So a client that no operator has checked gets none until an operator gives it a scope. */
function refuseEmpty(client: RegisteredClient, scope: readonly string[]): void {
  if (isSelfMade(client) && scope.length === 0)
    throw new OAuthError('invalid_scope', { description: 'The client is not allowed to request any scope.' });
}

/** A request object may change the meaning of the other parameters (OpenID Connect Core §6.1, §6.2). */
const unsupported: Readonly<Record<string, OAuthErrorCode>> = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
};

function refuseUnsupported(parameters: Parameters): void {
  for (const [name, code] of Object.entries(unsupported))
    if (parameters.get(name) !== undefined) throw new OAuthError(code);
}

function judgeResponseType({ grantTypes }: RegisteredClient, parameters: Parameters): ResponseType {
  const type = responseTypes.get(parameters.require('response_type'));
  if (type === undefined) throw new OAuthError('unsupported_response_type');
  if (!grantTypes.includes(type.grant))
    throw new OAuthError('unauthorized_client', {
      description: 'The client is not allowed to use this response type.',
    });
  const mode = parameters.get('response_mode');
  if (mode !== undefined && !type.modes.some((known) => known === mode))
    throw invalid('The response mode is not supported for this response type.');
  return type;
}

const challengeGrammar = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * RFC 7636 §4.3. Only S256 is accepted: `plain`, the default without a method, reveals the verifier to anyone who sees the
 * request.
 */
function judgeChallenge({ requirePkce }: RegisteredClient, parameters: Parameters): string | undefined {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (challenge === undefined) {
    if (requirePkce || method !== undefined) throw invalid('The parameter code_challenge is missing.');
    return undefined;
  }
  if (method !== 'S256') throw invalid('The parameter code_challenge_method must be S256.');
  if (!challengeGrammar.test(challenge)) throw invalid('The parameter code_challenge is malformed.');
  return challenge;
}

const prompts: ReadonlySet<string> = new Set(['none', 'login', 'consent', 'select_account']);

/** OpenID Connect Core §3.1.2.1. */
function judgePrompt(text: string | undefined): ReadonlySet<string> {
  const prompt = new Set(text?.split(' '));
  if (![...prompt].every((value) => prompts.has(value))) throw invalid('The parameter prompt has an unknown value.');
  if (prompt.has('none') && prompt.size > 1) throw invalid('prompt=none cannot be combined with other prompts.');
  return prompt;
}

function judgeMaxAge(text: string | undefined): number | undefined {
  if (text !== undefined && !/^[0-9]{1,9}$/.test(text))
    throw invalid('The parameter max_age must be a number of seconds.');
  return text === undefined ? undefined : Number(text);
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', { description });
}
