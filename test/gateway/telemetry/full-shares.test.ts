import { chmodSync } from 'node:fs';
import t from 'tap';
import { parseTrustedProxies } from '../../../src/base/forwarded-for.ts';
import { FullShares } from '../../../src/gateway/telemetry/full-shares.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { open } from '../../support/raw-client.ts';
import { rawUpstream } from '../../support/raw-upstream.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { until } from '../../support/until.ts';
import { headOf } from '../head.ts';

const FORWARDING = ['X-Forwarded-For', '192.0.2.1'];

function scene() {
  const warned: Record<string, unknown>[] = [];
  const clock = settableClock();
  const shares = new FullShares(clock, { warn: (line: object) => void warned.push({ ...line }) });
  const come = (address: string, fields: readonly string[] = []) => {
    const head = headOf(fields);
    shares.met('upstreams.api', { ...head, origin: { ...head.origin, address } });
  };
  return { clock, shares, warned, come };
}

t.test('an IPv6 proxy is named by the address for `trusted_proxies`, a client by its block', async (t) => {
  const { shares, warned, come } = scene();
  come('2001:db8::1', FORWARDING);
  come('fe80::1%eth0', FORWARDING);
  come('2001:db8::2');
  t.same([...shares.proxies], ['2001:db8::1', 'fe80::1']);
  t.ok(parseTrustedProxies([...shares.proxies]).includes('2001:db8::1'));
  t.match(warned, [
    { address: '2001:db8::1', proxy: true },
    { address: 'fe80::1', proxy: true },
    { address: '2001:db8:0:0::/64', proxy: false },
  ]);
});

t.test('the same over an IPv6 socket', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const api = { url: upstream.url, max_connections: 2 };
  const settings = behind('', { upstreams: { api }, admin: '127.0.0.1:0', listen: '[::1]:0' });
  const { port, log, adminUrl } = await gateway(t, settings);
  for (let i = 0; i < 2; i++) {
    const client = await open(t, port, '::1');
    client.send('GET /public/a HTTP/1.1\r\nHost: a\r\nForwarded: for="[2001:db8::9]:80";proto=https\r\n\r\n');
  }
  t.ok(await until(() => log.some(({ of }) => of === 'upstreams.api')));
  t.match(await (await fetch(`${adminUrl}/metrics`)).text(), 'gatehouse_untrusted_proxy{address="::1"} 1\n');
});

t.test('a proxy whose first request named no client is reported at the next', async (t) => {
  const { shares, warned, come } = scene();
  come('192.0.2.7');
  come('192.0.2.7', FORWARDING);
  t.same([...shares.proxies], ['192.0.2.7']);
  t.match(warned, [{ proxy: false }, { proxy: true }]);
});

t.test('a proxy is reported, however many other addresses come before and after it', async (t) => {
  const { clock, shares, warned, come } = scene();
  const strangers = (fields: readonly string[]) => {
    for (let i = 0; i < 300; i++) come(`198.51.${i >> 8}.${i & 255}`, fields);
  };
  strangers([]);
  strangers(FORWARDING);
  for (let i = 0; i < 100; i++) come('192.0.2.7', FORWARDING);
  strangers(FORWARDING);
  t.ok([...shares.proxies].includes('192.0.2.7'));
  t.equal([...shares.proxies].length, 16);
  t.equal(warned.length, 32, 'the log has no line for each stranger');
  clock.advance(3_600_000);
  strangers(FORWARDING);
  const [line, ...more] = warned.filter(({ addresses }) => addresses !== undefined);
  t.match(line, { proxy: true, count: 2 * (300 - 16) + 100 });
  t.ok(String(line?.addresses).includes('192.0.2.7'));
  t.strictSame(more, []);
});

t.test(
  'a limited number of client addresses with a full share is logged in an hour, and the rest is counted',
  async (t) => {
    const { clock, warned, come } = scene();
    const strangers = () => {
      for (let i = 0; i < 300; i++) come(`198.51.${i >> 8}.${i & 255}`);
    };
    for (let time = 0; time < 3; time++) strangers();
    t.equal(warned.length, 16);
    clock.advance(3_600_000);
    strangers();
    t.match(warned[16], { proxy: false, count: 3 * (300 - 16) });
    t.equal(warned.length, 33);
  },
);

const evidence: readonly (readonly [proxy: boolean, ...fields: string[]])[] = [
  [true, 'X-Forwarded-For', '192.0.2.1'],
  [true, 'X-Forwarded-For', 'unknown, [2001:db8::1]:80'],
  [true, 'Forwarded', 'for=192.0.2.60;proto=http;by=203.0.113.43'],
  [true, 'Forwarded', 'for=hidden, proto=http; For="[2001:db8:cafe::17]:4711"'],
  [false, 'X-Forwarded-For', 'x'],
  [false, 'X-Forwarded-For', ''],
  [false, 'Forwarded', 'for=_hidden'],
  [false, 'Forwarded', `${'for=a,'.repeat(2000)}by=1.2.3.4`],
  [false, 'Via', '1.1 proxy'],
];

for (const [proxy, ...fields] of evidence)
  t.test(`${fields.join(': ').slice(0, 60)} ${proxy ? 'is' : 'is not'} evidence of a proxy`, async (t) => {
    const { shares, come } = scene();
    come('192.0.2.7', fields);
    t.same([...shares.proxies], proxy ? ['192.0.2.7'] : []);
  });

t.test(
  "a proxy that is refused because of its clients' wrong passwords is reported, and a client is not",
  async (t) => {
    const { shares, warned } = scene();
    const head = (address: string, fields: readonly string[]) => {
      const { origin, ...rest } = headOf(fields);
      return { ...rest, origin: { ...origin, address } };
    };
    for (let time = 0; time < 3; time++) {
      shares.refused('login', head('192.0.2.7', FORWARDING));
      shares.refused('login', head('192.0.2.8', []));
    }
    t.same([...shares.proxies], ['192.0.2.7']);
    t.match(warned, [{ address: '192.0.2.7', of: 'login', proxy: true }]);
    t.equal(warned.length, 1);
    t.same([...shares.counts], [], 'no share was reached');
  },
);

t.test('over a socket: a route with a limit by address, and Basic', async (t) => {
  const upstream = await rawUpstream(t, () => {});
  const directory = t.testdir({ users: 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n' });
  chmodSync(`${directory}/users`, 0o600);
  const basic = { users: `${directory}/users`, allow_insecure: true };
  const routes = [
    { match: { path: '/few' }, access: 'public', rate_limit: { by: 'address', requests: 1, per: '1h' } },
    { match: { path: '/basic' }, auth: 'basic', basic, access: 'authenticated' },
  ];
  for (const [path, of] of [
    ['/few', 'rate_limit'],
    ['/basic', 'login'],
  ]) {
    const { url, log } = await gateway(t, behind(upstream.url, { routes, login: { max_failures: 1 } }));
    const authorization = `Basic ${Buffer.from('alice:x').toString('base64')}`;
    const ask = () =>
      fetch(url + path, {
        headers: { authorization, 'x-forwarded-for': '192.0.2.1' },
        signal: AbortSignal.timeout(500),
      });
    await ask().catch(() => undefined);
    for (let time = 0; time < 2; time++) t.equal((await ask()).status, 429);
    const named = log.filter(({ proxy }) => proxy === true);
    t.match(named, [{ address: '127.0.0.1', of }]);
    t.equal(named.length, 1);
  }
});
