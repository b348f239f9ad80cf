import { callbackOf } from './authorization.ts';
import { endpointOf, type Party } from './party.ts';
import { type Answer, exchange } from './provider/exchange.ts';
import type { RegisteredRp } from './provider/registered.ts';

type Form = Readonly<Record<string, string>>;

/** Authenticates as the client does (OpenID Connect Core §9). */
export function askForTokens(party: Party, form: Form): Promise<Answer> {
  const { client } = party;
  const isBasic = client.method === 'client_secret_basic';
  const body = isBasic ? form : { ...form, client_id: client.id, client_secret: client.secret };
  return exchange(endpointOf(party, 'token_endpoint'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      accept: 'application/json',
      ...(isBasic && { authorization: basicOf(client) }),
    },
    body: new URLSearchParams(body).toString(),
  });
}

/** RFC 6749 §2.3.1. */
function basicOf({ id, secret }: RegisteredRp): string {
  const text = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

export function redeemCode(party: Party, code: string, more: Form = {}): Promise<Answer> {
  return askForTokens(party, { grant_type: 'authorization_code', code, redirect_uri: callbackOf(party), ...more });
}

export function refreshTokens(party: Party, token: string, more: Form = {}): Promise<Answer> {
  return askForTokens(party, { grant_type: 'refresh_token', refresh_token: token, ...more });
}
