import type { Test } from 'tap';
import { freePort } from '../../support/free-port.ts';
import { challenge } from '../grant-flow.ts';
import { type Changes, callback, configuration, type Running, type RunOptions, run } from '../running-service.ts';

export { challenge, verifier } from '../grant-flow.ts';
export { callback } from '../running-service.ts';

export interface FrontService extends Running {
  readonly issuer: string;
}

/** The service, listening at its issuer's address, because a browser needs that. */
export async function runFront(t: Test, { config, ...options }: RunOptions = {}): Promise<FrontService> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const running = await run(t, { ...options, config: { issuer, listen: { host: '127.0.0.1', port }, ...config } });
  return { ...running, issuer };
}

type NewClients = NonNullable<Changes['clients']>;

/** The clients of every test, and these. */
export function clientsWith(...more: NewClients): NewClients {
  return [...configuration().clients, ...more];
}

type Form = Record<string, string> | [string, string][];
type Headers = Readonly<Record<string, string>>;

export interface Page {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly body: string;
  /** Where the answer redirects to, absolute. */
  readonly location: URL | undefined;
  /** The value of a hidden field. */
  field(name: string): string;
}

/** A browser that tests can inspect: it follows no redirect, runs no script, and keeps cookies. */
export interface Tab {
  readonly cookies: Map<string, string>;
  get(target: string, headers?: Headers): Promise<Page>;
  post(path: string, form: Form, headers?: Headers): Promise<Page>;
}

export function openTab({ url }: Pick<Running, 'url'>): Tab {
  const cookies = new Map<string, string>();
  async function send(target: string, init: { method?: string; body?: string; headers: Headers }): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie !== '' && { cookie }), ...init.headers };
    const response = await fetch(new URL(target, url), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const [body, location] = [await response.text(), response.headers.get('location')];
    return {
      status: response.status,
      headers: response.headers,
      body,
      location: location === null ? undefined : new URL(location, url),
      field: (name) => new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(body)?.[1] ?? '',
    };
  }
  return {
    cookies,
    get: (target, headers = {}) => send(target, { headers }),
    post: (path, form, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(form).toString(),
      }),
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/; Max-Age=0|; Expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** The name of our cookie in this browser, derived from the cookie that every page sets. */
export function cookieName({ cookies }: Pick<Tab, 'cookies'>, kind: 'sid' | 'known'): string {
  const named = [...cookies.keys()].find((name) => name.includes('browser'));
  if (named === undefined) throw new Error('this browser has not seen a page');
  return named.replace('browser', kind);
}

export const sessionName = (tab: Pick<Tab, 'cookies'>): string => cookieName(tab, 'sid');

/** Undefined if no user is signed in. */
export function sessionOf(tab: Pick<Tab, 'cookies'>): string | undefined {
  return tab.cookies.get(sessionName(tab));
}

/** A valid request of the client web; undefined omits a parameter. */
export function authorizePath(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: 'web',
    redirect_uri: callback,
    scope: 'orders.read orders.write',
    state: 'xyz',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `/oauth2/authorize?${pairs.join('&')}`;
}

/** Submits the login page, and returns the answer to the form. */
export async function logIn(tab: Tab, login: Page, username = 'alice', password = 'wonderland'): Promise<Page> {
  return tab.post('/oauth2/login', { transaction: login.field('transaction'), username, password });
}

/** Presses a button of the consent page, with these boxes ticked. */
export function decide(tab: Tab, consent: Page, scopes: readonly string[], decision = 'allow'): Promise<Page> {
  const boxes = scopes.map((scope): [string, string] => ['scope', scope]);
  return tab.post('/oauth2/consent', [['transaction', consent.field('transaction')], ...boxes, ['decision', decision]]);
}

/** A browser in which a user is signed in. */
export async function signedIn(
  service: Pick<Running, 'url'>,
  username = 'alice',
  password = 'wonderland',
): Promise<Tab> {
  const tab = openTab(service);
  const answer = await logIn(tab, await tab.get('/oauth2/account'), username, password);
  if (answer.status !== 303) throw new Error(`not signed in: ${answer.status}`);
  return tab;
}

/** The parameters of the answer to the client, in the query or the fragment. */
export function answered({ location }: Page): Record<string, string> {
  const text = location?.hash === '' || location === undefined ? (location?.search ?? '') : location.hash.slice(1);
  return Object.fromEntries(new URLSearchParams(text));
}
