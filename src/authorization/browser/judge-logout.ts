import { OAuthError } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import { type IdTokenHint, readIdTokenHint } from '../openid/id-token-hint.ts';
import type { Service } from '../service/service.ts';

/** A valid request for a logout. */
export interface LogoutRequest {
  readonly client: RegisteredClient | undefined;
  readonly hint: IdTokenHint | undefined;
  /** Registered for the client. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
  /** The languages that the client asks for (§2). */
  readonly uiLocales: string | undefined;
}

/** OpenID Connect RP-Initiated Logout §2 to §4. A faulty request shows a page, and redirects nowhere. */
export async function judgeLogout(service: Service, parameters: Parameters): Promise<LogoutRequest> {
  const hint = await hintOf(service, parameters.get('id_token_hint'));
  const client = await clientOf(service, parameters.get('client_id'), hint);
  const redirectUri = parameters.get('post_logout_redirect_uri');
  if (redirectUri !== undefined && !client?.postLogoutRedirectUris.includes(redirectUri))
    throw new OAuthError('redirect_refused', { description });
  return { client, hint, redirectUri, state: parameters.get('state'), uiLocales: parameters.get('ui_locales') };
}

const description = 'The post_logout_redirect_uri is not registered, or the request names no client.';

/** It may be expired, but it must be ours. */
async function hintOf(service: Service, text: string | undefined): Promise<IdTokenHint | undefined> {
  if (text === undefined) return undefined;
  const hint = await readIdTokenHint(service, text);
  if (hint !== undefined) return hint;
  throw new OAuthError('invalid_request', { description: 'The id_token_hint is not an ID token of this service.' });
}

async function clientOf(
  { clients }: Service,
  named: string | undefined,
  hint: IdTokenHint | undefined,
): Promise<RegisteredClient | undefined> {
  const id = named ?? hint?.clientId;
  if (id === undefined) return undefined;
  if (hint !== undefined && hint.clientId !== id)
    throw new OAuthError('invalid_request', { description: 'The id_token_hint is for another client.' });
  const client = await clients.glance(id);
  if (client === undefined) throw new OAuthError('unknown_client');
  return client;
}
