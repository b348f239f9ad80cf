import { argon2Sync } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Test } from 'tap';
import {
  type Authorization,
  type AuthorizationDependencies,
  buildAuthorization,
} from '../../src/authorization/authorization.ts';
import { serverLimits } from '../../src/authorization/http/server-limits.ts';
import { buildLog } from '../../src/base/log.ts';
import { loadAuthorizationText } from '../../src/config/load/load.ts';
import type { AuthorizationConfig, ClientConfig } from '../../src/config/schema/authorization.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const shop = { id: 'shop', secret: 'cs_shop-secret-of-32-bytes-or-so' };
export const other = { id: 'other', secret: 'cs_other-secret-of-32-bytes-or-so' };
export const web = { id: 'web', secret: 'cs_web-secret-of-32-bytes-or-more' };
export const callback = 'https://shop.example.com/callback';
export const gateway = { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' };

/** The weakest possible hash, because the tests do not measure its slowness. */
export function passwordHash(password: string, { memory, passes } = { memory: 8, passes: 1 }): string {
  const salt = Buffer.from('a salt, 16 bytes');
  const hash = argon2Sync('argon2id', {
    message: password,
    nonce: salt,
    parallelism: 1,
    tagLength: 32,
    memory,
    passes,
  });
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${text(salt)}$${text(hash)}`;
}

const base = `
version: 1
issuer: http://localhost:8081
listen: 127.0.0.1:0
storage: sqlite:gatehouse.db
resources: [https://api.example.com, https://other.example.com]
scopes: { orders.read: Read your orders, orders.write: Change your orders, admin: All of it }
log: { level: trace, format: json }
clients:
  - { client_id: shop, client_secret: ${shop.secret}, scope: orders.read orders.write, grant_types: [client_credentials] }
  - { client_id: shop-jwt, client_secret: ${shop.secret}, scope: orders.read orders.write, grant_types: [client_credentials], access_token_format: jwt }
  - { client_id: other, client_secret: ${other.secret}, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: gateway, client_secret: ${gateway.secret}, grant_types: [], introspect: true, events: true }
  - { client_id: web, client_name: Web Shop, client_secret: ${web.secret}, scope: orders.read orders.write, grant_types: [authorization_code, refresh_token], redirect_uris: ['${callback}'] }
  - { client_id: web-jwt, client_secret: ${web.secret}, scope: orders.read orders.write, grant_types: [authorization_code, refresh_token], redirect_uris: ['${callback}'], access_token_format: jwt }
  - { client_id: web-retry, client_secret: ${web.secret}, scope: orders.read orders.write, grant_types: [authorization_code, refresh_token], redirect_uris: ['${callback}'], retry_window: 30s }
  - { client_id: app, client_name: Phone App, scope: orders.read orders.write, grant_types: [authorization_code, refresh_token], redirect_uris: ['http://127.0.0.1/callback'] }
users:
  - { username: alice, name: Alice Ng, password_argon2: '${passwordHash('wonderland')}', claims: { tenant: acme } }
  - { username: bob, password_argon2: '${passwordHash('builder')}' }
`;

/** Settings that a test changes. For a client, an absent setting is absent from the file. */
export type Changes = Omit<Partial<AuthorizationConfig>, 'clients' | 'compat' | 'signing' | 'login' | 'tokens'> & {
  readonly login?: Partial<AuthorizationConfig['login']>;
  readonly tokens?: Partial<AuthorizationConfig['tokens']>;
  readonly signing?: Partial<AuthorizationConfig['signing']>;
  readonly clients?: readonly (Partial<ClientConfig> & Pick<ClientConfig, 'client_id'>)[];
  readonly compat?: Partial<AuthorizationConfig['compat']>;
};

export function configuration({
  clients,
  compat,
  signing,
  login,
  tokens,
  ...changes
}: Changes = {}): AuthorizationConfig {
  const loaded = loadAuthorizationText(base);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { config } = loaded;
  return {
    ...config,
    ...changes,
    compat: { ...config.compat, ...compat },
    signing: { ...config.signing, ...signing },
    login: { ...config.login, ...login },
    tokens: { ...config.tokens, ...tokens },
    clients: clients === undefined ? config.clients : clients.map((client) => ({ ...silent, ...client })),
  };
}

const silent = {
  redirect_uris: [],
  grant_types: [],
  require_pkce: true,
  retry_window: 0,
  session: false,
  claims: {},
  introspect: false,
  events: false,
  keys: false,
  post_logout_redirect_uris: [],
  backchannel_logout_session_required: false,
};

export interface Running extends Authorization {
  readonly url: string;
  readonly admin: string;
  readonly directory: string;
  /** All log lines so far, at trace. */
  logged(): string;
  post(path: string, form: Form, headers?: Record<string, string>): Promise<Response>;
  /** As `shop`, by Basic, unless the form has other credentials. */
  token(form?: Record<string, string>, client?: Client): Promise<string>;
  introspect(token: string, client?: Client): Promise<Record<string, unknown>>;
}

type Form = Record<string, string> | [string, string][] | string;
type Client = { id: string; secret: string };

export interface RunOptions extends Partial<AuthorizationDependencies> {
  readonly config?: Changes;
}

/** The service on real sockets and a separate database, removed after the test. */
export async function run(t: Test, { config, ...deps }: RunOptions = {}): Promise<Running> {
  const directory = deps.directory ?? temporaryFolder(t);
  const { sink, written } = collector();
  const settings = configuration({ admin: { host: '127.0.0.1', port: 0 }, ...config });
  const log = buildLog({ level: 'trace', format: 'json' }, sink);
  const authorization = await buildAuthorization(settings, { log, limits: serverLimits, ...deps, directory });
  const { url, admin = '' } = await authorization.start();
  t.teardown(() => authorization.stop());
  return { ...authorization, url, admin, directory, logged: written, ...requests(url) };
}

export function requests(url: string) {
  const post = (path: string, form: Form, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
  return {
    post,
    async token(form: Record<string, string> = {}, client: Client = shop) {
      const response = await post('/oauth2/token', { grant_type: 'client_credentials', ...form }, basic(client));
      const answer = (await response.json()) as { access_token: string };
      if (response.status !== 200) throw new Error(JSON.stringify(answer));
      return answer.access_token;
    },
    async introspect(token: string, client: Client = gateway) {
      const response = await post('/oauth2/introspect', { token }, basic(client));
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

export function basic({ id, secret }: Client): Record<string, string> {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` };
}

/** A stream that keeps what is written to it. */
export function collector() {
  const chunks: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { sink, written: () => chunks.join('') };
}
