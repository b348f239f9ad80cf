import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { account, digestUpstream } from '../support/digest-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { inTime, type Lateness, lateness } from '../support/lateness.ts';
import { tlsUpstream } from '../support/tls-upstream.ts';
import { hmacServer, jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import { type FaultProxy, faultProxy } from './support/fault-proxy.ts';
import { dependency, type Expected, faults, put, type Rows, type Scene } from './support/point.ts';
import { sized } from './support/size.ts';
import { tell, tellWith } from './support/tell.ts';
import { upstreamEngines } from './support/upstream-engines.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);
t.jobs = 12;

const CONNECT = 700;
const RESPONSE = 1_000;
const timeout = { connect: `${CONNECT}ms`, response: `${RESPONSE}ms` };

/** A gateway whose route `/orders` needs the upstream behind the proxy, and `/other` needs another. */
async function scene(t: Test, target: string, more: object = {}): Promise<Scene & { readonly proxy: FaultProxy }> {
  const proxy = await faultProxy(t, target);
  const sound = await witness(t);
  const api = { url: proxy.url, timeout, ...more };
  const { url, adminUrl = '' } = await gateway(
    t,
    behind(sound.url, {
      admin: '127.0.0.1:0',
      upstreams: { api, sound: { url: sound.url } },
      defaults: { upstream: 'api' },
      routes: [
        { match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
        { match: { path: '/other/{rest*}' }, scope: 'orders.read', upstream: 'sound' },
      ],
      authorization_servers: hmacServer,
    }),
  );
  const good = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  return {
    proxy,
    adminUrl,
    good: () => tellWith(`${url}/orders/1`, good),
    bad: () => tellWith(`${url}/orders/1`, `${good.slice(0, -6)}AAAAAA`),
    none: () => tell(`${url}/orders/1`),
    other: () => tellWith(`${url}/other/1`, good),
  };
}

const unreachable: Expected = { good: ['502 upstream_unreachable'], took: [0, CONNECT] };
const invalid: Expected = { good: ['502 upstream_invalid'], took: [0, CONNECT] };
const late: Expected = { good: ['504 upstream_timeout'], took: [RESPONSE, 1.4 * RESPONSE] };
const notConnected: Expected = { good: ['504 upstream_timeout'], took: [CONNECT, 1.4 * CONNECT] };
/** With an open connection, or with one that cannot be opened; at most both. */
const either: Expected = { ...late, took: [CONNECT, 1.4 * (CONNECT + RESPONSE)] };
const passes: Expected = { good: ['200'] };

const rows: Rows = {
  refusing: unreachable,
  resetting: invalid,
  hanging_up: invalid,
  garbage: invalid,
  silent: late,
  unreachable: notConnected,
  'half-open': late,
  slow: passes,
  'in pieces': passes,
};

const authority = new URL('../vectors/tls/authority.crt', import.meta.url).pathname;

for (const { name, block } of upstreamEngines) {
  dependency(t, `upstream by ${name}`, async (t) => scene(t, (await witness(t)).url, block), rows);
}

dependency(t, 'upstream over TLS', async (t) => scene(t, (await tlsUpstream(t)).url, { tls: { ca: authority } }), {
  ...rows,
  garbage: unreachable,
  silent: either,
  'half-open': either,
});

dependency(t, 'upstream over HTTP/2', async (t) => scene(t, (await http2Upstream(t)).url, { http2: true }), {
  ...rows,
  silent: either,
  'half-open': either,
});

dependency(
  t,
  'upstream that wants Digest',
  async (t) => scene(t, (await digestUpstream(t)).url, { credentials: { digest: account } }),
  rows,
);

const SOCKETS = 8;
const WAITING = sized(40, 200, 1_000);

void t.test(
  `${WAITING} requests to a full queue: 504 in time on at most ${SOCKETS} sockets, and afterwards they pass`,
  async (t) => {
    const it = await scene(t, (await witness(t)).url, { max_connections: SOCKETS });
    await it.good();
    await fullQueue(t, it, await lateness(t));
  },
);

async function fullQueue(t: Test, it: Awaited<ReturnType<typeof scene>>, { between }: Lateness): Promise<void> {
  await put(it.proxy, faults.unreachable);
  const own = dialling(it.proxy.port);
  const from = performance.now();
  const waiting = Array.from({ length: WAITING }, () => it.good());
  await pause(CONNECT / 2);
  const sockets = dialling(it.proxy.port) - own;
  t.ok(sockets <= SOCKETS && (sockets > 0 || !existsSync('/proc/net/tcp')), `${sockets} sockets`);
  const told = await Promise.all(waiting);
  t.strictSame(new Set(told.map(({ said }) => said)), new Set(['504 upstream_timeout']));
  const figures = await between(from, performance.now());
  const longest = Math.max(...told.map(({ took }) => took));
  inTime(t, '504', 1.5 * RESPONSE, { ...figures, took: longest });
  await it.proxy.mend();
  // No more at once than there are sockets. Waiting for a socket is another guarantee.
  for (let count = 0; count < WAITING; count += SOCKETS) {
    const after = await Promise.all(Array.from({ length: SOCKETS }, () => it.good()));
    t.strictSame(new Set(after.map(({ said }) => said)), new Set(['200']));
  }
}

/** Connections to a port whose SYN gets no answer; 0 if the system does not say. */
function dialling(port: number): number {
  if (!existsSync('/proc/net/tcp')) return 0;
  const to = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 02`;
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .filter((line) => line.includes(to)).length;
}
