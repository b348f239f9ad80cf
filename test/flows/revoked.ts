import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { gateway as follower, type Running } from '../authorization/running-service.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';

export interface Address {
  readonly url: string;
}

/** The block of a gateway that follows this service, with a test's changes. */
export function followed({ url }: Address, changes: object = {}): object {
  return {
    main: {
      issuer: 'http://localhost:8081',
      jwks_uri: `${url}/oauth2/jwks`,
      introspection_endpoint: `${url}/oauth2/introspect`,
      user_key_uri_template: `${url}/oauth2/keys/{kid}`,
      events: `${url}/oauth2/events`,
      client_id: follower.id,
      client_secret: follower.secret,
      audience: 'https://api.example.com',
      ...changes,
    },
  };
}

/** Sends requests to a gateway, wherever it runs. */
export interface Asked {
  get(token: string, target?: string): Promise<RawResponse>;
  /** Status, and the code of a refusal. */
  said(token: string, target?: string): Promise<string>;
  metric(name: string): Promise<number>;
}

export interface Followed extends TestGateway, Asked {}

export interface FollowOptions {
  /** Overrides the server's block. */
  readonly changes?: object;
  /** false: does not wait for it. */
  readonly inStep?: boolean;
  /** Overrides the file. */
  readonly file?: object;
  readonly clock?: Clock;
}

/** A gateway before one upstream that follows the service, and is up to date. */
export async function follow(
  t: Test,
  upstream: Address,
  service: Address,
  { changes = {}, inStep = true, file = {}, clock = systemClock }: FollowOptions = {},
): Promise<Followed> {
  const block = { authorization_servers: followed(service, changes), admin: '127.0.0.1:0', development: true, ...file };
  const running = asked(await gateway(t, behind(upstream.url, block), clock));
  if (inStep && !(await isInStep(running))) throw new Error('the gateway is not in step');
  return running;
}

type Listeners = Pick<TestGateway, 'port' | 'adminUrl'>;

export function asked(running: TestGateway): Followed {
  return { ...running, ...askAt(running) };
}

export function askAt({ port, adminUrl }: Listeners): Asked {
  const get = (token: string, target = '/orders/1') =>
    ask(port, requestText({ target, headers: [bearer(token)] }), { deadline: 30_000 });
  return {
    get,
    async said(token, target) {
      const response = await get(token, target);
      return response.status === 200 ? '200' : `${response.status} ${JSON.parse(response.body.toString()).code}`;
    },
    metric: (name) => metric(adminUrl, name),
  };
}

/** Of the server `main`. */
async function metric(adminUrl: string | undefined, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(name));
  return Number(line?.slice(line.lastIndexOf(' ')));
}

export function isInStep(running: Pick<Asked, 'metric'>): Promise<boolean> {
  return eventually(async () => (await running.metric('gatehouse_feed_stale{server="main"')) === 0);
}

/** Whether it becomes true within the time. */
export async function eventually(holds: () => Promise<boolean>, milliseconds = 20_000): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (await holds()) return true;
    await pause(5);
  }
  return holds();
}

/** How long, in milliseconds, until this is the answer for the token. */
export async function timeUntil(
  running: Pick<Asked, 'said'>,
  token: string,
  said: string,
  most = 20_000,
): Promise<number> {
  const began = performance.now();
  if (!(await eventually(async () => (await running.said(token)) === said, most))) return Number.POSITIVE_INFINITY;
  return performance.now() - began;
}

export { type Running, until };
