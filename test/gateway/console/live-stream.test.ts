import { connect } from 'node:net';
import t from 'tap';
import type { Totals } from '../../../src/gateway/telemetry/result.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { group } from '../../support/group.ts';
import { connectTo } from '../../support/raw-client.ts';
import { requestText } from '../../support/request-text.ts';
import { JWT_BEGINS, jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';
import { witness } from '../../support/witness.ts';
import { readLive } from './live-reader.ts';

/** Starts processes: 10 s on a busy machine. */
t.setTimeout(60_000);

t.test('a viewer sees each decision with its steps, without token and query', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const live = await readLive(t, running.adminUrl);
  t.match(live.hello[0], { gateway: /:\d+$/, workers: 0, replicas: [], epoch: /./ });
  const authorization = `Bearer ${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}`;
  await fetch(`${running.url}/orders/1?q=hidden`, { headers: { authorization } });
  await fetch(`${running.url}/admin/1?access_token=hidden`, { headers: { authorization } });
  t.ok(await live.has(2));
  t.match(live.decisions, [
    { number: 1, code: 'forwarded', route: 'orders', path: '/orders/1', client: 'shop', at: /^gateway\.yaml:\d+$/ },
    { number: 2, code: /./, path: '/admin/1' },
  ]);
  const steps = live.decisions[0]?.steps as { step: string; verdict: string; at?: string }[];
  t.strictSame(
    steps.map(({ step, verdict }) => `${step} ${verdict}`),
    ['message', 'host', 'target', 'route', 'credential', 'verify', 'permit', 'rewrite', 'forward'].map(
      (step) => `${step} passed`,
    ),
  );
  t.match(steps.find(({ step }) => step === 'permit')?.at, /^gateway\.yaml:\d+$/);
  t.notMatch(live.text(), /hidden/);
  t.notMatch(live.text(), JWT_BEGINS);
});

t.test('a request that fails at the upstream has this as its last step', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  const live = await readLive(t, running.adminUrl);
  await fetch(`${running.url}/public/1`);
  t.ok(await live.has(1));
  const steps = live.decisions[0]?.steps as { step: string; verdict: string }[];
  t.match(steps.at(-1), { step: 'forward', verdict: 'unavailable' });
});

t.test('a rewritten target is shown without its query', async (t) => {
  const upstream = await witness(t);
  const routes = [
    {
      id: 'r',
      match: { path: '/old/{rest*}' },
      access: 'public',
      rewrite: { strip_prefix: '/old', add_prefix: '/new' },
    },
  ];
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', routes }));
  const live = await readLive(t, running.adminUrl);
  await fetch(`${running.url}/old/1?access_token=hidden`);
  t.ok(await live.has(1));
  t.match(live.text(), '/new/1');
  t.notMatch(live.text(), 'hidden');
});

t.test('a filter that cannot be read is 400, as a stream and as JSON', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  for (const accept of ['text/event-stream', 'application/json']) {
    const response = await fetch(`${running.adminUrl}/api/decisions?filter=stauts:4xx`, { headers: { accept } });
    t.equal(response.status, 400);
    t.match(await response.json(), { error: 'a filter cannot name `stauts`: did you mean `status`?' });
  }
});

t.test('a viewer that comes back continues where it left, and a reader of JSON gets the same', async (t) => {
  const upstream = await witness(t);
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const stays = await readLive(t, running.adminUrl);
  await fetch(`${running.url}/public/1`);
  t.ok(await stays.has(1));
  const id = /^id: (.+)$/m.exec(stays.text())?.[1] as string;
  const last = [...stays.text().matchAll(/^id: (.+)$/gm)].at(-1)?.[1] as string;
  await fetch(`${running.url}/public/2`);
  t.ok(await stays.has(2));
  const back = await readLive(t, running.adminUrl, `?since=${encodeURIComponent(last)}`);
  t.ok(await back.has(1));
  t.strictSame(
    back.decisions.map(({ path }) => path),
    ['/public/2'],
  );
  const json = await fetch(`${running.adminUrl}/api/decisions?since=${encodeURIComponent(id)}&filter=/public/2`);
  t.match(await json.json(), { decisions: [{ path: '/public/2' }] });
});

t.test('a page of another site, and a page whose name points here, get nothing', async (t) => {
  const running = await gateway(t, behind('http://127.0.0.1:9', { admin: '127.0.0.1:0' }));
  for (const path of ['/api/decisions', '/api/file', '/console/live'])
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const response = await fetch(running.adminUrl + path, { headers: headers as Record<string, string> });
      t.equal(response.status, 403, `${path} ${JSON.stringify(headers)}`);
    }
});

t.test('with several workers, each decision names its worker, and a new worker is watched too', async (t) => {
  const upstream = await witness(t);
  const running = await group(t, behind(upstream.url), 2);
  const live = await readLive(t, running.adminUrl);
  t.match(live.hello[0], { workers: 2 });
  const seen = () => new Set(live.decisions.map(({ process }) => process));
  // Connections that are open at once go to different workers.
  const asked = async () => {
    const all = Array.from({ length: 16 }, () =>
      fetch(`${running.url}/public/1`, { headers: { connection: 'close' } }),
    );
    return (await Promise.all(all)).every(({ ok }) => ok);
  };
  t.ok(await until(async () => (await asked()) && seen().size === 2), [...seen()].join());
  process.kill(running.pids()[0] as number, 'SIGKILL');
  t.ok(await running.serves(2));
  const before = live.decisions.length;
  const after = () => new Set(live.decisions.slice(before).map(({ process }) => process));
  t.ok(await until(async () => (await asked()) && after().size === 2), [...after()].join());
});

t.test('a viewer that does not read costs a bounded buffer, and learns how many decisions it missed', async (t) => {
  const upstream = await witness(t);
  // A record has the target twice.
  const routes = [{ id: 'r', match: { path: '/old/{rest*}' }, access: 'public', rewrite: { strip_prefix: '/old' } }];
  const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0', routes }));
  const socket = connect(Number(new URL(running.adminUrl as string).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write('GET /api/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n');
  t.ok(await until(() => hasViewer(running.adminUrl)));
  socket.pause();
  const reads = await readLive(t, running.adminUrl);
  const client = await connectTo(running.port);
  t.teardown(() => client.socket.destroy());
  const long = 'x'.repeat(2_000);
  const headers = [['User-Agent', 'x'.repeat(600)]] as const;
  let requests = 0;
  // The other viewer shows that the gateway has sent more than the buffers of the system hold.
  while (reads.text().length < MORE_THAN_BUFFERED) {
    client.send(requestText({ target: requests++ % 2 === 0 ? `/old/${long}` : `/none/${long}`, headers }));
    await client.read();
  }
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.resume();
  const messages = () => [...text.matchAll(/^data: (\{"decisions".*\})$/gm)].map(([, json = '']) => JSON.parse(json));
  const sum = (count: (message: { decisions: unknown[]; left: number; slow: number; totals: Totals }) => number) =>
    messages().reduce((total, message) => total + count(message), 0);
  t.ok(
    await until(() => sum(({ totals }) => totals.passed + totals.refused) === requests),
    'no decision is missing in the totals',
  );
  t.equal(
    sum(({ decisions, left, slow }) => decisions.length + left + slow),
    requests,
    'each is shown or counted',
  );
  t.ok(sum(({ slow }) => slow) > 0, `${sum(({ slow }) => slow)} were too much for the viewer`);
});

/** Characters. Linux keeps at most 4 MiB for the sender, and 128 KiB for a receiver that never reads. */
const MORE_THAN_BUFFERED = 6_000_000;

async function hasViewer(admin: string | undefined): Promise<boolean> {
  return /^gatehouse_console_viewers 1$/m.test(await (await fetch(`${admin}/metrics`)).text());
}
