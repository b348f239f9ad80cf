import { OAuthError } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Service } from '../service/service.ts';
import { claimsWithin, scopeOfClaim } from './claims.ts';
import { type ClaimsRequest, readClaimsRequest } from './claims-request.ts';
import { readIdTokenHint } from './id-token-hint.ts';
import { isPairwise } from './subject.ts';

/** OpenID Connect's part of an authorization request (OpenID Connect Core §3.1.2.1). */
export interface OpenidRequest {
  readonly nonce: string | undefined;
  readonly acr: string | undefined;
  readonly claims: { readonly id_token: readonly string[]; readonly userinfo: readonly string[] };
  /** The scopes of requested claims that the request does not name. The user must allow them too. */
  readonly claimScopes: readonly string[];
  /** The only user for whom the client accepts an answer, as the client sees the user. */
  readonly subject: string | undefined;
}

/** Undefined: the client wants no ID token. */
export async function readOpenidRequest(
  service: Service,
  client: RegisteredClient,
  parameters: Parameters,
  scope: readonly string[],
): Promise<OpenidRequest | undefined> {
  const { config } = service;
  if (!config.openid.enabled || !scope.includes('openid')) return undefined;
  if (isPairwise(service, client)) await service.sectors.verify(client);
  const wanted = readClaimsRequest(parameters.get('claims'));
  const acr = config.openid.acr.pwd;
  refuseUnmet(wanted, acr);
  const claimScopes = scopesOf(service, [...wanted.id_token, ...wanted.userinfo]);
  const open = claimScopes.filter((name) => client.scope.includes(name));
  const within = (claims: readonly string[]) => claimsWithin(config, [...scope, ...open], claims);
  return {
    nonce: parameters.get('nonce'),
    acr,
    claims: { id_token: within(wanted.id_token), userinfo: within(wanted.userinfo) },
    claimScopes: open.filter((name) => !scope.includes(name)),
    subject: await expectedSubject(service, client, { wanted, hint: parameters.get('id_token_hint') }),
  };
}

function scopesOf({ config }: Service, claims: readonly string[]): readonly string[] {
  const scopes = claims.map((claim) => scopeOfClaim(config, claim));
  return [...new Set(scopes.filter((scope) => scope !== undefined))];
}

/** OpenID Connect Core §5.5.1.1: an essential `acr` that this login cannot have is a failed login. */
function refuseUnmet({ essentialAcr: wanted }: ClaimsRequest, acr: string | undefined): void {
  if (wanted === undefined) return;
  const isMet = acr !== undefined && (wanted.length === 0 || wanted.includes(acr));
  if (!isMet) throw new OAuthError('unmet_authentication_requirements');
}

async function expectedSubject(
  service: Service,
  client: RegisteredClient,
  { wanted, hint }: { readonly wanted: ClaimsRequest; readonly hint: string | undefined },
): Promise<string | undefined> {
  if (hint === undefined) return wanted.subject;
  const read = await readIdTokenHint(service, hint);
  if (read === undefined || read.clientId !== client.id)
    throw new OAuthError('invalid_request', { description: 'The id_token_hint is not an ID token of this client.' });
  if (wanted.subject !== undefined && wanted.subject !== read.subject)
    throw new OAuthError('invalid_request', {
      description: 'Two parameters name different users: id_token_hint and claims.',
    });
  return read.subject;
}
