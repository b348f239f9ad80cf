import { channel } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { addressFinder } from '../../../src/authorization/outbound/find-addresses.ts';
import { freePort } from '../../support/free-port.ts';
import { openTab, type Page } from '../browser/walk.ts';
import { dnsServer } from './dns-server.ts';
import { asksFor, documentFor, documentHost, runWithDocuments } from './document-host.ts';

/** RFC 6890 and the IANA registries: private, loopback, link-local, carriers' networks, NAT64, mapped and others. */
const forbidden = [
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.254',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

/** The addresses to which this process tries to connect, except for these ports. */
function connectionAttempts(t: Test, except: readonly number[]): string[] {
  const attempts: string[] = [];
  const follow = (message: unknown) =>
    (message as { socket: Socket }).socket.on('connectionAttempt', (address: string, port: number) => {
      if (!except.includes(port)) attempts.push(address);
    });
  channel('net.client.socket').subscribe(follow);
  t.teardown(() => channel('net.client.socket').unsubscribe(follow));
  return attempts;
}

const portOf = (url: string) => Number(new URL(url).port);

/** Each request comes from another address, because one address may cause 20 requests a minute. */
const proxied = { trusted_proxies: ['127.0.0.1'] };
const from = (index: number) => ({ 'x-forwarded-for': `198.51.100.${index + 1}` });

function saysWhy(t: Test, { status, body }: Page, reason: RegExp, title: string): void {
  t.equal(status, 400, title);
  t.match(body, 'invalid_client', title);
  t.match(body, reason, title);
}

t.test(
  'no connection is made to a forbidden address: as the host of an id, by DNS, or beside a public one',
  async (t) => {
    const names = new Map(forbidden.map((address, at) => [`host-${at}.example.net`, [address]]));
    for (const [at, address] of forbidden.entries()) names.set(`both-${at}.example.net`, ['9.9.9.9', address]);
    const dns = await dnsServer(t, (name) => names.get(name) ?? []);
    const service = await runWithDocuments(t, {
      cimd: { private_addresses: 'deny' },
      config: proxied,
      findAddresses: addressFinder([dns.address]),
    });
    const attempts = connectionAttempts(t, [portOf(service.url)]);
    const hosts = forbidden.map((each) => new URL(`http://${each.includes(':') ? `[${each}]` : each}`).host);
    const tab = openTab(service);
    for (const [at, host] of [...hosts, ...names.keys(), 'localhost'].entries()) {
      const page = await tab.get(asksFor(`https://${host}/client.json`), from(at % 250));
      saysWhy(t, page, /has no public address/, host);
      t.notMatch(page.body, /is not a public address, and/, 'the page does not say which address');
    }
    t.equal(dns.asked.length, names.size * 2);
    t.strictSame(attempts, [], `${hosts.length + names.size + 1} targets`);
  },
);

t.test('private addresses of the operator are closed to strangers by default', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t, { cimd: { private_addresses: 'deny' } });
  saysWhy(t, await openTab(service).get(asksFor(host.publish('/client.json'))), /no public address/, 'deny');
  t.equal(host.connections(), 0);
});

t.test('a name that leads elsewhere at the next look-up is connected only to the checked address', async (t) => {
  const listener = createServer((socket) => socket.destroy());
  await new Promise<void>((done) => listener.listen(0, '127.0.0.2', done));
  t.teardown(() => listener.close());
  const { port } = listener.address() as { port: number };
  let questions = 0;
  // A and AAAA are two questions of one look-up. The second look-up finds the forbidden address.
  const dns = await dnsServer(t, () => [Math.floor(questions++ / 2) % 2 === 0 ? '127.0.0.2' : '127.0.0.1']);
  const service = await runWithDocuments(t, {
    outbound: { private_addresses: ['127.0.0.2'] },
    findAddresses: addressFinder([dns.address]),
  });
  const attempts = connectionAttempts(t, [portOf(service.url)]);
  const tab = openTab(service);
  for (let index = 0; index < 10; index++) {
    const page = await tab.get(asksFor(`https://rebind.example.net:${port}/${index}.json`));
    t.equal(page.status, 400);
    t.match(page.body, index % 2 === 0 ? /did not answer/ : /no public address/);
  }
  t.ok(questions >= 20, `${questions} questions`);
  t.strictSame(new Set(attempts), new Set(['127.0.0.2']), `${attempts.length} connections`);
});

t.test('a redirect is not followed, to wherever it leads', async (t) => {
  const [host, target] = [await documentHost(t), await documentHost(t)];
  const service = await runWithDocuments(t);
  const tab = openTab(service);
  for (const [index, status] of [301, 302, 303, 307, 308].entries()) {
    const id = host.serve(`/${index}`, { status, headers: { location: target.publish('/client.json') }, body: '' });
    saysWhy(t, await tab.get(asksFor(id)), new RegExp(`status ${status}`), String(status));
  }
  t.equal(target.connections(), 0);
});

const GIGABYTE = 1024 ** 3;
const piece = Buffer.alloc(64 * 1024, 0x20);

/** Writes until the reader leaves. Returns the number of bytes so far. */
function endless(response: ServerResponse, headers: Readonly<Record<string, string>>): () => number {
  let written = 0;
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  const write = () => {
    while (!response.destroyed && written < GIGABYTE) {
      written += piece.length;
      if (!response.write(piece)) return void response.once('drain', write);
    }
  };
  write();
  return () => written;
}

t.test('of a body of 1 GB, only the beginning is read', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const kinds = { chunked: {}, 'with its length': { 'content-length': String(GIGABYTE) } };
  for (const [title, headers] of Object.entries(kinds)) {
    let written = () => 0;
    const answer = (_: unknown, response: ServerResponse) => {
      written = endless(response, headers);
    };
    const id = host.serve(`/${title.length}`, { answer });
    saysWhy(t, await openTab(service).get(asksFor(id)), /too large/, title);
    // The rest is what the buffers of two sockets hold.
    t.ok(written() < 16 * 1024 ** 2, `${title}: ${written()} bytes were sent`);
  }
});

t.test(
  'a host that is slow, silent, broken or not the host of its certificate gets a page within the limit',
  async (t) => {
    const host = await documentHost(t);
    const service = await runWithDocuments(t, { cimd: { timeout: 300 } });
    const tab = openTab(service);
    const faults: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
      'no answer': () => {},
      'a head without a body': (response) => response.writeHead(200).flushHeaders(),
      'a byte now and then': (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 50);
        response.once('close', () => clearInterval(timer));
      },
      'a lost connection': (response) => response.socket?.destroy(),
      'half of a body': (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{');
        response.socket?.end();
      },
      'an outage of its own': (response) => response.writeHead(503).end(),
      'an error of its own': (response) => response.writeHead(500).end(),
      'too many requests': (response) => response.writeHead(429).end(),
    };
    for (const [title, fault] of Object.entries(faults)) {
      const id = host.serve(`/${title.replaceAll(' ', '-')}`, { answer: (_, response) => void fault(response) });
      // Without a limit, some of these would never end.
      saysWhy(t, await tab.get(asksFor(id)), /did not answer|answers with status/, title);
    }
    const closed = `https://localhost:${await freePort()}/client.json`;
    saysWhy(t, await tab.get(asksFor(closed)), /did not answer/, 'nobody listens');
    const strict = await runWithDocuments(t, { config: { outbound: withoutAuthority(service) } });
    const id = host.serve('/trusted.json', (own) => ({ body: JSON.stringify(documentFor(own)) }));
    saysWhy(t, await openTab(strict).get(asksFor(id)), /did not answer/, 'a certificate that no authority signed');
    t.equal((await tab.get(asksFor(id))).status, 200);
    await sleep(10);
    t.notMatch(service.logged(), '"level":"error"');
  },
);

function withoutAuthority({ service }: Awaited<ReturnType<typeof runWithDocuments>>) {
  const { tls: _, ...others } = service.config.outbound;
  return others;
}
