import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { buildOutbound } from '../../../src/authorization/outbound/outbound.ts';
import { reachableBy } from '../../../src/authorization/outbound/reachable.ts';
import { buildSectors } from '../../../src/authorization/outbound/sectors.ts';

const forbidden = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  'fc00::1',
  'fd00::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
];

t.test('only public addresses are reachable by default', async (t) => {
  const isReachable = reachableBy([]);
  for (const address of forbidden) t.equal(isReachable(address), false, address);
  for (const address of ['8.8.8.8', '172.32.0.1', '172.15.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
    t.equal(isReachable(address), true, address);
});

t.test('a private address of the configuration is reachable, and its neighbours are not', async (t) => {
  const isReachable = reachableBy(['10.1.0.0/16', 'fd00::1']);
  t.strictSame(['10.1.2.3', '10.2.0.1', 'fd00::1', 'fd00::2'].map(isReachable), [true, false, true, false]);
});

async function served(
  t: Test,
  answer: { status?: number; headers?: Record<string, string>; body?: string; hangs?: true },
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(answer.status ?? 200, answer.headers);
    if (answer.hangs) response.flushHeaders();
    else response.end(answer.body ?? 'ok');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}

function outbound(t: Test, private_addresses: readonly string[] = ['127.0.0.0/8', '::1'], timeout = 1_000) {
  const built = buildOutbound({ outbound: { private_addresses: [...private_addresses], timeout }, development: false });
  t.teardown(() => built.close());
  return built;
}

t.test('no connection is made to a forbidden address, whatever its spelling', async (t) => {
  const { asked, port } = await served(t, {});
  const { get } = outbound(t, []);
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
  ])
    for (const scheme of ['http', 'https'])
      t.match(await get(`${scheme}://${host}:${port}/x`), { kind: 'forbidden' }, `${scheme}://${host}`);
  for (const text of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'x', 'http://example.com/', 'http://8.8.8.8/'])
    t.match(await get(text), { kind: 'forbidden' }, text);
  t.strictSame(asked, []);
  const { get: getPrivate } = outbound(t, ['10.0.0.0/8'], 50);
  t.match(await getPrivate('http://10.1.2.3/'), { kind: 'forbidden', reason: 'not an https URL' });
});

t.test('a redirect is an answer, and is not followed', async (t) => {
  const target = await served(t, {});
  const { port } = await served(t, { status: 302, headers: { location: `http://127.0.0.1:${target.port}/x` } });
  t.match(await outbound(t).get(`http://127.0.0.1:${port}/`), { kind: 'answered', status: 302 });
  t.strictSame(target.asked, []);
});

t.test('an answer that is too large, too slow or broken fails', async (t) => {
  const large = await served(t, { body: 'x'.repeat(300_000) });
  const slow = await served(t, { hangs: true });
  const get = (port: number) => outbound(t, ['127.0.0.1'], 300).get(`http://127.0.0.1:${port}/`);
  t.match(await get(large.port), { kind: 'too_large' });
  t.match(await get(slow.port), { kind: 'failed' });
  t.match(await outbound(t).get('http://127.0.0.1:1/'), { kind: 'failed' }, 'nobody listens');
});

t.test('a sector document must list each redirect address, and is read once', async (t) => {
  const uris = ['https://a.example/cb', 'https://b.example/cb'];
  const { asked, port } = await served(t, { body: JSON.stringify(uris) });
  const sectors = buildSectors(outbound(t));
  const sectorIdentifierUri = `http://127.0.0.1:${port}/uris`;
  await Promise.all([1, 2, 3].map(() => sectors.verify({ sectorIdentifierUri, redirectUris: uris })));
  t.equal(asked.length, 1);
  const more = { sectorIdentifierUri, redirectUris: [...uris, 'https://c.example/cb'] };
  await t.rejects(sectors.verify(more), { code: 'invalid_request' });
  t.equal(asked.length, 1);
  await sectors.verify({ sectorIdentifierUri: undefined, redirectUris: [] });
});

t.test('a sector document that cannot be read is an outage, and is asked for again only later', async (t) => {
  const { asked, port } = await served(t, { body: '{}' });
  const sectors = buildSectors(outbound(t));
  const client = { sectorIdentifierUri: `http://127.0.0.1:${port}/uris`, redirectUris: [] };
  for (const _ of [1, 2]) await t.rejects(sectors.verify(client), { code: 'temporarily_unavailable' });
  t.equal(asked.length, 1);
});

t.test('a sector document that was read stays valid while its server fails, and a new one replaces it', async (t) => {
  const answer = { status: 200, body: '["https://a.example/cb"]' };
  const { asked, port } = await served(t, answer);
  const sectors = buildSectors(outbound(t), { read: 1, failed: 1 });
  const client = { sectorIdentifierUri: `http://127.0.0.1:${port}/uris`, redirectUris: ['https://a.example/cb'] };
  const verifyLater = async () => {
    await sleep(10);
    await sectors.verify(client);
  };
  await sectors.verify(client);
  answer.status = 500;
  for (const _ of [1, 2]) await verifyLater();
  t.equal(asked.length, 3);
  Object.assign(answer, { status: 200, body: '[]' });
  await t.rejects(verifyLater(), { code: 'invalid_request' });
});
