import type { AuthorizationServerConfig } from '../config/gateway.ts';
import { DEADLINE, type Fetched, type FetchJson } from './fetch-json.ts';

/** Asks an introspection endpoint about a token (RFC 7662 §2.1). */
export type AskAboutToken = (endpoint: string, token: string, signal?: AbortSignal) => Promise<Fetched>;

export type ClientCredentials = Pick<
  AuthorizationServerConfig,
  'client_id' | 'client_secret' | 'introspection_endpoint_auth_method'
>;

interface Authentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

const methods: Record<
  ClientCredentials['introspection_endpoint_auth_method'],
  (id: string, secret: string) => Authentication
> = {
  client_secret_basic(id, secret) {
    const pair = Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64');
    return { headers: { authorization: `Basic ${pair}` }, form: {} };
  },
  client_secret_post: (id, secret) => ({ headers: {}, form: { client_id: id, client_secret: secret } }),
};

export function askAboutToken(credentials: ClientCredentials, fetch: FetchJson): AskAboutToken {
  const { headers, form } = authenticate(credentials);
  return (url, token, signal = AbortSignal.timeout(DEADLINE)) =>
    fetch({ url, signal, headers, form: new URLSearchParams({ token, token_type_hint: 'access_token', ...form }) });
}

function authenticate(credentials: ClientCredentials): Authentication {
  const { client_id, client_secret = '', introspection_endpoint_auth_method: method } = credentials;
  return client_id === undefined ? { headers: {}, form: {} } : methods[method](client_id, client_secret);
}

/** RFC 6749 §2.3.1: both halves are form-encoded first, so that a colon in an id cannot move the border. */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
