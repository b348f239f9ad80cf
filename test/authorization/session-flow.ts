import type { Test } from 'tap';
import { authorizePath, decide, openTab, signedIn, type Tab } from './browser/walk.ts';
import { basic, type Changes, configuration, type Running, type RunOptions, run } from './running-service.ts';

export const mini = { id: 'mini', secret: 'cs_mini-secret-of-32-bytes-or-so' };
export const rival = { id: 'rival', secret: 'cs_rival-secret-of-32-bytes-or-so' };
export const plain = { id: 'plain', secret: 'cs_plain-secret-of-32-bytes-or-so' };
export const origin = 'https://mini.example.com';
export const rivalOrigin = 'https://rival.example.com';

const exchange = { enabled: true, allow_query: true, errors: 'oauth' } as const;

function client({ id, secret }: typeof mini, changes: object = {}) {
  return {
    client_id: id,
    client_secret: secret,
    scope: 'orders.read orders.write',
    grant_types: ['authorization_code' as const, 'password' as const],
    session: true,
    require_pkce: false,
    ...changes,
  };
}

export interface SessionOptions extends Omit<RunOptions, 'config'> {
  readonly session?: Partial<NonNullable<Changes['session']>>;
  readonly config?: Changes;
}

/** The service with three more clients. `mini` and `rival` use the browserless exchange, `plain` does not. */
export function runSession(t: Test, { session, config, ...options }: SessionOptions = {}): Promise<Running> {
  const clients = [
    ...configuration().clients,
    client(mini, { redirect_uris: [`${origin}/callback`, 'com.example.mini:/callback'] }),
    client(rival, { redirect_uris: [`${rivalOrigin}/callback`], grant_types: ['authorization_code'] }),
    client(plain, { redirect_uris: ['https://plain.example.com/callback'], session: false }),
  ];
  return run(t, { ...options, config: { clients, session: { ...exchange, ...session }, ...config } });
}

const typed = { client_id: mini.id, username: 'alice', password: 'wonderland' };

export function askForCode(service: Running, form: Record<string, string> = {}, headers: Record<string, string> = {}) {
  return service.post('/oauth2/session/code', { ...typed, ...form }, headers);
}

/** A code of mini for alice, by her password, unless the form has other values. */
export async function sessionCode(service: Running, form: Record<string, string> = {}): Promise<string> {
  const response = await askForCode(service, form);
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { code: string }).code;
}

/** As mini, by Basic. */
export function exchangeCode(service: Running, code: string, who = mini, form: Record<string, string> = {}) {
  return service.post('/oauth2/session', { grant_type: 'authorization_code', code, ...form }, basic(who));
}

/** The form that old applications use: everything in the query. */
export function queryOf(code: string, { id, secret } = mini): string {
  return `/oauth2/session?${new URLSearchParams({ appid: id, secret, js_code: code, grant_type: 'authorization_code' })}`;
}

export interface SessionAnswer {
  readonly session_key: string;
  readonly openid: string;
  readonly expires_in: number;
  readonly scope: string;
}

export async function session(service: Running, form: Record<string, string> = {}): Promise<SessionAnswer> {
  const response = await exchangeCode(service, await sessionCode(service, form));
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as SessionAnswer;
}

/** A browser in which alice is signed in and has granted these scopes to mini. */
export async function consented(service: Running, scopes: readonly string[]): Promise<Tab> {
  const tab = await signedIn(service);
  if (scopes.length === 0) return tab;
  const asked = authorizePath({ client_id: mini.id, redirect_uri: `${origin}/callback`, scope: scopes.join(' ') });
  const answer = await decide(tab, await tab.get(asked), scopes);
  if (answer.status !== 303) throw new Error(`no consent: ${answer.status}`);
  return tab;
}

export { openTab };
