import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { Test } from 'tap';
import type { AuthorizationDependencies } from '../../../src/authorization/authorization.ts';
import type { OpenidConfig } from '../../../src/config/schema/openid.ts';
import {
  answered,
  authorizePath,
  decide,
  type FrontService,
  logIn,
  openTab,
  type Page,
  runFront,
  type Tab,
} from '../browser/walk.ts';
import { type TokenAnswer, verifier } from '../grant-flow.ts';
import { basic, type Changes, callback, configuration } from '../running-service.ts';

export const rp = { id: 'rp', secret: 'cs_rp-secret-of-32-bytes-or-more!' };
export const rp2 = { id: 'rp2', secret: 'cs_rp2-secret-of-32-bytes-or-more' };
export const callback2 = 'https://other-rp.example.com/callback';

export const everyScope = 'openid profile email address phone offline_access orders.read';
const scopes = Object.fromEntries(everyScope.split(' ').map((name) => [name, `May use ${name}`]));

const member = { scope: everyScope, grant_types: ['authorization_code' as const, 'refresh_token' as const] };

type NewClient = NonNullable<Changes['clients']>[number];

export interface ProviderOptions {
  readonly openid?: Partial<OpenidConfig>;
  /** More keys of the client `rp`. */
  readonly client?: Partial<NewClient>;
  readonly clients?: readonly NewClient[];
  readonly config?: Omit<Changes, 'openid' | 'clients'>;
  readonly deps?: Partial<AuthorizationDependencies>;
}

const alice = {
  tenant: 'acme',
  email: 'alice@example.com',
  email_verified: true,
  phone_number: '+49 30 1234',
  address: { locality: 'Berlin' },
  groups: ['staff'],
};

/** The service as an OpenID Provider with two clients, where its issuer says that it is. */
export function runProvider(
  t: Test,
  { openid, client, clients = [], config, deps }: ProviderOptions = {},
): Promise<FrontService> {
  const before = configuration();
  const [first, ...others] = before.users;
  if (first === undefined) throw new Error('no user');
  return runFront(t, {
    ...deps,
    config: {
      ...config,
      scopes: { ...scopes, ...before.scopes, ...config?.scopes },
      users: [{ ...first, claims: alice }, ...others],
      openid: { ...before.openid, enabled: true, ...openid },
      clients: [
        ...before.clients,
        { client_id: rp.id, client_secret: rp.secret, redirect_uris: [callback], ...member, ...client },
        { client_id: rp2.id, client_secret: rp2.secret, redirect_uris: [callback2], ...member },
        ...clients,
      ],
    },
  });
}

type Asked = Readonly<Record<string, string | undefined>>;

export function openidPath(changes: Asked = {}): string {
  return authorizePath({ client_id: rp.id, scope: 'openid', ...changes });
}

/** Follows the login and consent pages, and ticks each box. The answer is the one for the client. */
export async function walk(tab: Tab, path: string): Promise<Page> {
  let page = await tab.get(path);
  if (page.body.includes('name="password"')) {
    const answer = await logIn(tab, page);
    page = await tab.get(answer.location?.href ?? '');
  }
  if (page.status === 200 && page.field('transaction') !== '') {
    const boxes = [...page.body.matchAll(/name="scope" value="([^"]*)"/g)].map(([, scope = '']) => scope);
    page = await decide(tab, page, boxes);
  }
  return page;
}

export interface OpenidAnswer extends TokenAnswer {
  readonly id_token: string;
}

export async function redeemed(
  service: Pick<FrontService, 'post'>,
  page: Page,
  client = rp,
  uri = callback,
): Promise<OpenidAnswer> {
  const { code = '' } = answered(page);
  const form = { grant_type: 'authorization_code', code, redirect_uri: uri, code_verifier: verifier };
  const response = await service.post('/oauth2/token', form, basic(client));
  const answer = (await response.json()) as OpenidAnswer;
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

export async function loggedIn(
  service: FrontService,
  changes: Asked = {},
  tab: Tab = openTab(service),
): Promise<OpenidAnswer> {
  return redeemed(service, await walk(tab, openidPath(changes)));
}

/** The same at a service of another process. */
export async function loggedInAt(
  service: Pick<FrontService, 'post'>,
  tab: Tab,
  scope = 'openid',
): Promise<OpenidAnswer> {
  return redeemed(service, await walk(tab, openidPath({ scope })));
}

/** As a client verifies an ID token: by the key set and the metadata. */
export async function verified(
  service: FrontService,
  token: string,
  { audience = rp.id, alg = 'RS256', typ = 'JWT' } = {},
): Promise<JWTPayload> {
  const keys = await (await fetch(`${service.url}/oauth2/jwks`)).json();
  const options = { issuer: service.issuer, audience, algorithms: [alg], typ };
  return (await jwtVerify(token, createLocalJWKSet(keys as never), options)).payload;
}

export async function userinfo(service: FrontService, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${service.url}/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` }, ...init });
}
