import { mock } from 'node:test';
import { pino } from 'pino';
import { type Demo, startDemo } from '../../src/demo/demo.ts';
import { addresses, type Ports, shop } from '../../src/demo/files.ts';
import { freePort } from '../../test/support/free-port.ts';

/** The ports that the demo has by default. The pictures show them. */
export const usualPorts: Ports = {
  gateway: 8080,
  authorization: 8081,
  client: 8082,
  api: 9000,
  health: 9900,
  admin: 9901,
};

export interface RunningDemo extends Demo {
  readonly ports: Ports;
  readonly at: ReturnType<typeof addresses>;
}

/** The demo on free ports. Its clock is `clock`, so the same times are in the pictures of each run. */
export async function runDemo(): Promise<RunningDemo> {
  mock.timers.enable({ apis: ['Date'], now: clock.now });
  const entries: [string, number][] = [];
  for (const name of Object.keys(usualPorts)) entries.push([name, await freePort()]);
  const ports = Object.fromEntries(entries) as unknown as Ports;
  return { ...(await startDemo(ports, pino({ level: 'silent' }))), ports, at: addresses(ports) };
}

/** It stands still, except when a picture needs time to pass. */
export const clock = {
  /** Milliseconds since the epoch. */
  now: Date.UTC(2026, 8, 14, 9, 30),
  pass(milliseconds: number) {
    this.now += milliseconds;
    mock.timers.setTime(this.now);
  },
};

/** An access token of the shop, which may only read orders. */
export async function shopToken({ at }: RunningDemo): Promise<string> {
  const response = await fetch(at.token, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${shop.id}:${shop.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'orders.read' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Method, path, whether the token is sent, and milliseconds before it. The last one is refused for its scope. */
const requests: readonly (readonly [method: string, path: string, isKnown: boolean, after: number])[] = [
  ['GET', '/orders/8', true, 1300],
  ['GET', '/orders/7', true, 2400],
  ['GET', '/health', false, 2100],
  ['GET', '/orders/7', true, 900],
  ['GET', '/orders/8', true, 3200],
  ['GET', '/orders/7', false, 1700],
  ['GET', '/health', false, 4300],
  ['GET', '/orders/9', true, 600],
  ['GET', '/orders/7', true, 1200],
  ['POST', '/orders/7', true, 5100],
  ['GET', '/orders/8', true, 800],
  ['GET', '/invoices/3', true, 2600],
  ['GET', '/orders/7', true, 1400],
  ['GET', '/health', false, 3900],
  ['GET', '/orders/8', true, 700],
  ['DELETE', '/orders/7', true, 1100],
];

export async function makeTraffic({ at }: RunningDemo, token: string): Promise<void> {
  for (const [method, path, isKnown, after] of requests) {
    clock.pass(after);
    const headers = isKnown ? { authorization: `Bearer ${token}` } : {};
    await (await fetch(at.api + path, { method, headers })).arrayBuffer();
  }
}
