import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Test } from 'tap';
import { Agent, request } from 'undici';
import type { Clock } from '../../src/base/clock.ts';
import { type FrontService, openTab, type Tab } from '../authorization/browser/walk.ts';
import { type ProviderOptions, runProvider, walk } from '../authorization/openid/provider.ts';
import { gateway as follower } from '../authorization/running-service.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';

export const operator = { id: 'console', secret: 'cs_console-secret-of-32-bytes-or' };
const scopes = { 'gatehouse.admin': 'Use the console of the gateway' };

/** The service with a client for the console. Only alice may get its scope in most tests, because a user can untick it. */
export function runService(t: Test, { client, config, ...options }: ProviderOptions = {}): Promise<FrontService> {
  const console = {
    client_id: operator.id,
    client_secret: operator.secret,
    client_name: 'Gateway console',
    redirect_uris: ['http://127.0.0.1/console/callback'],
    scope: 'openid profile gatehouse.admin',
    grant_types: ['authorization_code' as const],
    ...client,
  };
  return runProvider(t, {
    ...options,
    clients: [console],
    config: { ...config, scopes: { ...scopes, ...config?.scopes } },
  });
}

export interface Guarded extends TestGateway {
  readonly admin: string;
}

/** The block `main`, and the keys of `admin` that a test changes. */
export function guardedFile(service: FrontService, admin: object = {}, access: object = {}, main: object = {}): object {
  return {
    development: true,
    authorization_servers: {
      main: {
        issuer: service.issuer,
        client_id: follower.id,
        client_secret: follower.secret,
        audience: 'https://api.example.com',
        ...main,
      },
    },
    admin: {
      listen: '127.0.0.1:0',
      access: { authorization_server: 'main', client_id: operator.id, client_secret: operator.secret, ...access },
      ...admin,
    },
  };
}

/** A gateway whose operators log in at the service. */
export async function guarded(
  t: Test,
  service: FrontService,
  admin = {},
  access = {},
  { clock, main }: { readonly clock?: Clock; readonly main?: object } = {},
): Promise<Guarded> {
  const running = await gateway(t, behind('http://127.0.0.1:9', guardedFile(service, admin, access, main)), clock);
  return { ...running, admin: running.adminUrl ?? '' };
}

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location: URL | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A browser at the gateway. Unlike `fetch`, it sends the headers of Fetch Metadata that a test gives. */
export interface Window {
  readonly cookies: Map<string, string>;
  ask(target: string, headers?: Headers, method?: 'GET' | 'POST', body?: string): Promise<Answer>;
}

export function openWindow(url: string, connect: object = {}): Window {
  const cookies = new Map<string, string>();
  const dispatcher = new Agent({ connect });
  return {
    cookies,
    async ask(target, given = {}, method = 'GET', body) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const headers = { ...(cookie !== '' && { cookie }), ...given };
      const options = { method, headers, dispatcher, ...(body !== undefined && { body }) };
      const response = await request(new URL(target, url), options);
      const { location, 'set-cookie': set = [] } = response.headers;
      for (const line of [set].flat()) keep(cookies, line);
      return {
        status: response.statusCode,
        body: await response.body.text(),
        headers: response.headers,
        location: typeof location === 'string' ? new URL(location, url) : undefined,
      };
    },
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/; Max-Age=0/.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** One browser: its window at the gateway, and its tab at the service. */
export interface Browser {
  readonly at: Window;
  readonly service: Tab;
}

export function browser({ admin }: Pick<Guarded, 'admin'>, service: FrontService): Browser {
  return { at: openWindow(admin), service: openTab(service) };
}

/** What a browser tells about an address that a person typed. */
export const TYPED = {
  accept: 'text/html',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
/** And about one to which another site sent it. */
export const SENT = { ...TYPED, 'sec-fetch-site': 'cross-site' };

/** Asks for a login, and returns the address at the service. */
export async function begin({ at }: Browser, path = '/console/login'): Promise<URL> {
  const { location, status, body } = await at.ask(path, TYPED);
  if (location === undefined) throw new Error(`no login: ${status} ${body}`);
  return location;
}

/** Logs in at the service, and returns the address of the callback. */
export async function answered({ service }: Browser, address: URL): Promise<URL> {
  const { location, status, body } = await walk(service, address.href);
  if (location === undefined) throw new Error(`no answer: ${status} ${body}`);
  return location;
}

/** The whole login; the page at its end. */
export async function logIn(tabs: Browser, path?: string): Promise<Answer> {
  return tabs.at.ask((await answered(tabs, await begin(tabs, path))).href, SENT);
}

/** The status of an address for operators. */
export async function statusOf({ at }: Browser, path = '/routes'): Promise<number> {
  return (await at.ask(path)).status;
}

/** An event stream of the gateway in this browser. */
export interface OpenStream {
  readonly status: number;
  /** Settles when it ends, in whatever way. */
  readonly ended: Promise<void>;
}

export async function openStream(
  t: Test,
  { at }: Pick<Browser, 'at'>,
  admin: string,
  more: Headers = {},
): Promise<OpenStream> {
  const cookie = [...at.cookies].map((pair) => pair.join('=')).join('; ');
  const asked = get(`${admin}/decisions`, { agent: false, headers: { cookie, accept: 'text/event-stream', ...more } });
  t.teardown(() => void asked.destroy());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume().on('error', () => {});
  return { status: response.statusCode ?? 0, ended: new Promise((resolve) => void response.once('close', resolve)) };
}
