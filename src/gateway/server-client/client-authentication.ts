import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import type { AssertClient } from './client-assertion.ts';
import type { FailedFetch } from './fetch-json.ts';

export type ClientCredentials = Pick<
  AuthorizationServerConfig,
  'client_id' | 'client_secret' | 'introspection_endpoint_auth_method'
>;

/** The gateway's own authentication in a request. */
export interface Authentication {
  readonly kind: 'authentication';
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

export type Authenticate = () => Authentication | Promise<Authentication | FailedFetch>;

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const methods: Record<
  ClientCredentials['introspection_endpoint_auth_method'],
  (id: string, secret: string, assertClient: AssertClient) => Authenticate
> = {
  client_secret_basic: (id, secret) => always(basic(id, secret), {}),
  client_secret_post: (id, secret) => always({}, { client_id: id, client_secret: secret }),
  // RFC 7521 §4.2: the subject of the assertion is the client, so the form need not name it.
  private_key_jwt: (_id, _secret, assertClient) => async () => {
    const assertion = await assertClient();
    if (typeof assertion !== 'string') return assertion;
    return authentication({}, { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion });
  },
};

export function authenticator(credentials: ClientCredentials, assertClient: AssertClient): Authenticate {
  const { client_id, client_secret = '', introspection_endpoint_auth_method: method } = credentials;
  return client_id === undefined ? always({}, {}) : methods[method](client_id, client_secret, assertClient);
}

/** For a request without a form: RFC 6749 §2.3.1 forbids secrets in URLs. */
export function headerAuthenticator({ client_id, client_secret }: ClientCredentials): Authenticate {
  return client_id === undefined || client_secret === undefined
    ? always({}, {})
    : always(basic(client_id, client_secret), {});
}

function basic(id: string, secret: string): Authentication['headers'] {
  const pair = Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

function always(headers: Authentication['headers'], form: Authentication['form']): Authenticate {
  const same = authentication(headers, form);
  return () => same;
}

function authentication(headers: Authentication['headers'], form: Authentication['form']): Authentication {
  return { kind: 'authentication', headers, form };
}

/** RFC 6749 §2.3.1: both parts are form-encoded first, so that a colon in an id cannot move the separator. */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
