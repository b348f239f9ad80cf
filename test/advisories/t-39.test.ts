import t, { type Test } from 'tap';
import { behind, gateway, routes } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { type Seen, witness } from '../support/witness.ts';

const internal = { match: { host: 'internal.example', path: '/internal' }, access: 'public' };

const forged = [
  ['X-Forwarded-For', '10.0.0.1'],
  ['X-Forwarded-Host', 'internal.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Prefix', '/internal'],
  ['X-Real-Ip', '10.0.0.1'],
  ['X-Request-Id', 'forged'],
  ['Forwarded', 'for=10.0.0.1;host=internal.example;proto=https'],
] as const;

async function opened(t: Test, trusted_proxies: readonly string[] | object) {
  const upstream = await witness(t);
  const { port, log } = await gateway(t, behind(upstream.url, { trusted_proxies, routes: [...routes, internal] }));
  const send = (target: string, headers: readonly (readonly [string, string])[] = []) =>
    ask(port, requestText({ target, headers }));
  return { send, log, upstream };
}

/** What the upstream learns about the origin of the request. */
function told(seen: Seen | undefined): Record<string, readonly string[] | undefined> {
  const names = [
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded-prefix',
    'forwarded',
  ];
  return Object.fromEntries(names.map((name) => [name, seen?.all(name)]));
}

for (const trusted of [[], ['10.0.0.0/8'], ['::1'], ['127.0.0.2/32', '192.168.0.0/16']]) {
  t.test(
    `T39: with trusted proxies [${trusted}] the forwarding headers of a peer at 127.0.0.1 change nothing`,
    async (t) => {
      const { send, log, upstream } = await opened(t, trusted);
      await send('/public/a');
      const plain = told(upstream.seen[0]);
      t.strictSame(plain['x-forwarded-for'], ['127.0.0.1']);
      for (const header of [...forged.map((each) => [each]), forged]) {
        t.equal((await send('/public/a', header)).status, 200);
        t.strictSame(told(upstream.seen.at(-1)), plain, JSON.stringify(header));
        t.equal((await send('/internal', header)).status, 404, 'nor is there another host');
      }
      t.notMatch(JSON.stringify(upstream.seen.map((seen) => seen.all('x-request-id'))), 'forged');
      t.notMatch(JSON.stringify(log), /10\.0\.0\.1|forged/, 'the log neither');
    },
  );
}

t.test('T39: the forwarding headers of a trusted proxy count, so the test above proves something', async (t) => {
  const { send, upstream } = await opened(t, { from: ['127.0.0.1'], host: 'forwarded' });
  await send('/public/a', forged);
  t.match(told(upstream.seen[0]), {
    'x-forwarded-for': ['10.0.0.1, 127.0.0.1'],
    'x-forwarded-host': ['internal.example'],
    'x-forwarded-proto': ['https'],
  });
});
