import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

/** Headers that a client may try to have deleted by naming them in Connection (advisories 4, 33, 38). */
const managed = [
  'X-Auth-Subject',
  'X-Auth-Client',
  'X-Auth-Scope',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Request-Id',
  'Forwarded',
  'Via',
  'Host',
  'Content-Length',
  'Transfer-Encoding',
  'X-Real-Ip',
  'Authorization',
];

const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase(),
  (name) => name.toUpperCase(),
  swapCase,
];

function swapCase(name: string): string {
  return [...name]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

/** What the upstream must see, whatever Connection says. */
const kept = [
  'x-auth-subject',
  'x-auth-client',
  'x-auth-scope',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
  'forwarded',
  'host',
];

for (const name of managed) {
  t.test(`advisory 4, 33, 38: Connection: ${name}, in any case, deletes nothing that the gateway writes`, async (t) => {
    const upstream = await witness(t);
    const { port } = await gateway(t, behind(upstream.url));
    const token = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
    for (const spell of spellings) {
      for (const value of [spell(name), `close, ${spell(name)}`, ` ,${spell(name)} , keep-alive`]) {
        const response = await ask(
          port,
          requestText({ method: 'POST', target: '/orders/1', headers: [['Connection', value], token], body: 'hello' }),
        );
        assertKept(t, value, response.status, upstream.seen.pop());
      }
    }
  });
}

function assertKept(
  t: Test,
  value: string,
  status: number,
  seen: { all(name: string): readonly string[]; body: Buffer } | undefined,
): void {
  // Naming a framing header is nonsense, and may be refused. Forwarding the request must not change the framing.
  if (status === 400) return;
  t.equal(status, 200, value);
  for (const name of kept) t.equal(seen?.all(name).length, 1, `${value}: one ${name}`);
  t.same(seen?.all('x-auth-subject'), ['alice']);
  t.equal(seen?.body.toString(), 'hello', `${value}: the body arrived whole`);
}

t.test(
  'fields that Connection names, in any case and over several lines, are removed, and so are the known hop-by-hop fields',
  async (t) => {
    const upstream = await witness(t);
    const { port } = await gateway(t, behind(upstream.url));
    const named = [
      ['Connection', 'X-Foo, x-bar'],
      ['connection', 'X-BAZ'],
      ['x-foo', '1'],
      ['X-BAR', '2'],
      ['X-Baz', '3'],
    ] as const;
    const known = [
      ['Keep-Alive', 'timeout=5'],
      ['Proxy-Connection', 'keep-alive'],
      ['Proxy-Authorization', 'Basic eDp5'],
      ['TE', 'gzip'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', 'AAMAAABk'],
      ['Trailer', 'X-T'],
    ] as const;
    const response = await ask(
      port,
      requestText({ target: '/public/a', headers: [...named, ...known, ['X-End', '4']] }),
    );
    t.equal(response.status, 200);
    const [seen] = upstream.seen;
    for (const name of [
      'x-foo',
      'x-bar',
      'x-baz',
      'keep-alive',
      'proxy-connection',
      'proxy-authorization',
      'upgrade',
      'http2-settings',
    ])
      t.same(seen?.all(name), [], name);
    t.notMatch(seen?.all('te').join(), /gzip/);
    t.notMatch(seen?.all('connection').join(), /x-/i, 'the connection to the upstream is the gateway’s own');
    t.equal(seen?.header('x-end'), '4');
  },
);

t.test('TE: trailers is forwarded, because trailers are', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  await ask(
    port,
    requestText({
      target: '/public/a',
      headers: [
        ['Connection', 'TE'],
        ['TE', 'trailers, deflate;q=0.5'],
      ],
    }),
  );
  t.same(upstream.seen[0]?.all('te'), ['trailers']);
});
