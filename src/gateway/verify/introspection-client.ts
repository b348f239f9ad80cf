import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import type { AssertClient } from './client-assertion.ts';
import { DEADLINE, type FailedFetch, type Fetched, type FetchJson } from './fetch-json.ts';

/** Asks an introspection endpoint about a token (RFC 7662 §2.1). */
export type AskAboutToken = (endpoint: string, token: string, signal?: AbortSignal) => Promise<Fetched>;

export type ClientCredentials = Pick<
  AuthorizationServerConfig,
  'client_id' | 'client_secret' | 'introspection_endpoint_auth_method'
>;

interface Authentication {
  readonly kind: 'authentication';
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

type Authenticate = () => Authentication | Promise<Authentication | FailedFetch>;

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const methods: Record<
  ClientCredentials['introspection_endpoint_auth_method'],
  (id: string, secret: string, assertClient: AssertClient) => Authenticate
> = {
  client_secret_basic(id, secret) {
    const pair = Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64');
    return always({ authorization: `Basic ${pair}` }, {});
  },
  client_secret_post: (id, secret) => always({}, { client_id: id, client_secret: secret }),
  // RFC 7521 §4.2: the subject of the assertion is the client, so the form need not name it.
  private_key_jwt: (_id, _secret, assertClient) => async () => {
    const assertion = await assertClient();
    if (typeof assertion !== 'string') return assertion;
    return authentication({}, { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion });
  },
};

export function askAboutToken(
  credentials: ClientCredentials,
  fetch: FetchJson,
  assertClient: AssertClient,
): AskAboutToken {
  const authenticate = authenticator(credentials, assertClient);
  return async (url, token, signal = AbortSignal.timeout(DEADLINE)) => {
    const who = await authenticate();
    if (who.kind === 'failed') return who;
    const form = new URLSearchParams({ token, token_type_hint: 'access_token', ...who.form });
    return fetch({ url, signal, headers: who.headers, form });
  };
}

function authenticator(credentials: ClientCredentials, assertClient: AssertClient): Authenticate {
  const { client_id, client_secret = '', introspection_endpoint_auth_method: method } = credentials;
  return client_id === undefined ? always({}, {}) : methods[method](client_id, client_secret, assertClient);
}

function always(headers: Authentication['headers'], form: Authentication['form']): Authenticate {
  const same = authentication(headers, form);
  return () => same;
}

function authentication(headers: Authentication['headers'], form: Authentication['form']): Authentication {
  return { kind: 'authentication', headers, form };
}

/** RFC 6749 §2.3.1: both halves are form-encoded first, so that a colon in an id cannot move the border. */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
