import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type LiveRecords, readLive } from '../gateway/console/live-reader.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Starts processes: 15 s on a busy machine. */
t.setTimeout(90_000);

/** The newest states of the other gateways. */
function statesIn({ hello }: LiveRecords): readonly { readonly fault?: string; readonly gateway?: string }[] {
  return (hello.at(-1)?.replicas ?? []) as { fault?: string; gateway?: string }[];
}

t.test(
  'a console shows the decisions of the other gateways that it is given, each once and with its name',
  async (t) => {
    const upstream = await witness(t);
    const workers = await group(t, behind(upstream.url), 2);
    const other = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
    const replicas = [{ url: workers.adminUrl }, { url: other.adminUrl }];
    const one = await gateway(t, behind(upstream.url, { admin: { listen: '127.0.0.1:0', replicas } }));
    const all = await readLive(t, one.adminUrl);
    const few = await readLive(t, one.adminUrl, '?filter=/public/other');
    const named = () => statesIn(all).filter(({ gateway: name }) => name !== undefined);
    t.ok(await until(() => named().length === 2), 'both answer');
    for (const [url, path] of [
      [one.url, 'own'],
      [workers.url, 'workers'],
      [other.url, 'other'],
    ])
      await fetch(`${url}/public/${path}`);
    t.ok((await all.has(3)) && (await few.has(1)));
    const seen = new Map(all.decisions.map(({ path, process }) => [path, process]));
    t.equal(seen.get('/public/own'), undefined);
    t.match(seen.get('/public/workers'), /:\d+ worker [01]$/);
    t.match(seen.get('/public/other'), /:\d+$/);
    t.strictSame(
      few.decisions.map(({ path }) => path),
      ['/public/other'],
    );
    const kept = (await (await fetch(`${one.adminUrl}/api/decisions`)).json()) as { decisions: { path: string }[] };
    t.strictSame(
      kept.decisions.map(({ path }) => path).sort(),
      ['/public/other', '/public/own', '/public/workers'],
      'each is kept once',
    );
  },
);

t.test('a gateway that does not answer is named with the reason, and its decisions come once it answers', async (t) => {
  const upstream = await witness(t);
  const port = await freePort();
  const replicas = [{ url: `http://127.0.0.1:${port}` }];
  const one = await gateway(t, behind(upstream.url, { admin: { listen: '127.0.0.1:0', replicas } }));
  const live = await readLive(t, one.adminUrl);
  const state = () => statesIn(live)[0];
  t.ok(await until(() => state()?.fault === 'ECONNREFUSED'), JSON.stringify(state()));
  await fetch(`${one.url}/public/own`);
  t.ok(await live.has(1), 'the own decisions do not wait');
  const other = await gateway(t, behind(upstream.url, { admin: `127.0.0.1:${port}` }));
  t.ok(await until(() => state()?.gateway !== undefined && state()?.fault === undefined), JSON.stringify(state()));
  await fetch(`${other.url}/public/later`);
  t.ok(await live.has(2));
  t.equal(live.decisions[1]?.path, '/public/later');
});

t.test('an https gateway is trusted only by its own authorities, which are read at each connection', async (t) => {
  const upstream = await witness(t);
  const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
  const other = await gateway(t, behind(upstream.url, { admin: { listen: '127.0.0.1:0', tls } }));
  const ca = join(t.testdir({ 'ca.crt': readFileSync(tlsFile('other-authority.crt')) }), 'ca.crt');
  const replicas = [{ url: other.adminUrl }, { url: other.adminUrl, tls: { ca } }];
  const one = await gateway(t, behind(upstream.url, { admin: { listen: '127.0.0.1:0', replicas } }));
  const live = await readLive(t, one.adminUrl);
  const faults = () => statesIn(live).map(({ fault }) => fault);
  t.ok(await until(() => faults().every((fault) => fault?.includes('UNABLE_TO_VERIFY'))), JSON.stringify(faults()));
  copyFileSync(tlsFile('authority.crt'), ca);
  t.ok(await until(() => statesIn(live)[1]?.gateway !== undefined && faults()[1] === undefined));
  await fetch(`${one.url}/public/own`);
  t.ok(await live.has(1));
  t.match(faults()[0], 'UNABLE_TO_VERIFY', 'without `tls`, only the authorities of the system count');
  writeFileSync(ca, 'nothing');
  await other.stop();
  t.ok(await until(() => faults()[1]?.includes('`tls.ca`') === true), JSON.stringify(faults()));
});

t.test('no other gateway is asked while no one watches', async (t) => {
  const upstream = await witness(t);
  const other = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const viewers = async () =>
    (await (await fetch(`${other.adminUrl}/metrics`)).text()).match(/^gatehouse_console_viewers (\d+)$/m)?.[1];
  const replicas = [{ url: other.adminUrl }];
  const one = await gateway(t, behind(upstream.url, { admin: { listen: '127.0.0.1:0', replicas } }));
  t.equal(await viewers(), '0');
  const live = await readLive(t, one.adminUrl);
  t.ok(await until(async () => (await viewers()) === '1'));
  live.close();
  t.ok(await until(async () => (await viewers()) === '0'));
});

t.test('gateways that follow each other, and one that follows itself, show each decision once', async (t) => {
  const upstream = await witness(t);
  const ports = [await freePort(), await freePort()];
  const replicas = ports.map((port) => ({ url: `http://127.0.0.1:${port}` }));
  const opened = ports.map((port) =>
    gateway(t, behind(upstream.url, { admin: { listen: `127.0.0.1:${port}`, replicas } })),
  );
  const [one, two] = await Promise.all(opened);
  const live = await readLive(t, one?.adminUrl);
  t.ok(await until(() => statesIn(live)[0]?.fault === 'it is this gateway itself'), JSON.stringify(statesIn(live)));
  t.ok(await until(() => statesIn(live)[1]?.gateway !== undefined));
  await fetch(`${one?.url}/public/one`);
  await fetch(`${two?.url}/public/two`);
  t.ok(await live.has(2));
  await fetch(`${two?.url}/public/last`);
  t.ok(await live.has(3));
  t.strictSame(live.decisions.map(({ path }) => path).sort(), ['/public/last', '/public/one', '/public/two']);
  const viewers = async (admin?: string) =>
    /^gatehouse_console_viewers (\d+)$/m.exec(await (await fetch(`${admin}/metrics`)).text())?.[1];
  t.equal(await viewers(two?.adminUrl), '1', 'one viewer is one stream at the other');
});

t.test('a replica that starts again has new decisions, although it counts from one', async (t) => {
  const upstream = await witness(t);
  const port = await freePort();
  const file = behind(upstream.url, { admin: `127.0.0.1:${port}` });
  const one = await gateway(
    t,
    behind(upstream.url, { admin: { listen: '127.0.0.1:0', replicas: [{ url: `http://127.0.0.1:${port}` }] } }),
  );
  const live = await readLive(t, one.adminUrl);
  await t.test('before', async (t) => {
    const first = await gateway(t, file);
    t.ok(await until(() => statesIn(live)[0]?.gateway !== undefined));
    t.ok(await until(() => statesIn(live)[0]?.fault === undefined));
    await fetch(`${first.url}/public/before`);
    t.ok(await live.has(1));
  });
  t.ok(await until(() => statesIn(live)[0]?.fault !== undefined));
  const second = await gateway(t, file);
  t.ok(await until(() => statesIn(live)[0]?.fault === undefined));
  await fetch(`${second.url}/public/after`);
  t.ok(await live.has(2));
  t.strictSame(
    live.decisions.map(({ path }) => path),
    ['/public/before', '/public/after'],
  );
});
