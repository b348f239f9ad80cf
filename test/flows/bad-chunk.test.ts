import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { isLong } from '../support/long.ts';
import { type Random, random } from '../support/random.ts';
import { connectTo } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { until } from '../support/until.ts';
import { follow, type Witness, witness } from '../support/witness.ts';

/** Many more cases with GATEHOUSE_LONG=1: 1 s in .ci/run on a busy machine. */
t.setTimeout(isLong ? 1_800_000 : 600_000);

/** How the framing of a chunked body (RFC 9112 §7.1) becomes invalid. The bytes afterwards are never a valid rest. */
const faults: readonly { readonly name: string; readonly bytes: string; readonly ends?: true }[] = [
  { name: 'a size that is no number', bytes: 'xyz\r\n' },
  { name: 'an empty size', bytes: '\r\nhello\r\n' },
  { name: 'a size with a sign', bytes: '+5\r\nhello\r\n' },
  { name: 'a negative size', bytes: '-5\r\nhello\r\n' },
  { name: 'a size with 0x', bytes: '0x5\r\nhello\r\n' },
  { name: 'a size with an underscore', bytes: '1_0\r\n0123456789abcdef\r\n' },
  { name: 'a size before which a space stands', bytes: ' 5\r\nhello\r\n' },
  { name: 'a size behind which a space stands', bytes: '5 \r\nhello\r\n' },
  { name: 'a size behind which a tab stands', bytes: '5\t\r\nhello\r\n' },
  { name: 'a size beyond 64 bits', bytes: 'FFFFFFFFFFFFFFFF0\r\nhello\r\n' },
  { name: 'a size that would wrap around 2^64 to 5', bytes: '10000000000000005\r\nhello\r\n' },
  { name: 'a size line that ends with LF alone', bytes: '5\nhello\r\n' },
  { name: 'a size line that ends with CR alone', bytes: '5\rhello\r\n' },
  { name: 'a NUL in the size', bytes: '5\0\r\nhello\r\n' },
  { name: 'an extension without a name', bytes: '5;\r\nhello\r\n' },
  { name: 'an extension with a bare CR', bytes: '5;a=\rb\r\nhello\r\n' },
  { name: 'an extension with a bare LF', bytes: '5;a=b\nhello\r\n' },
  { name: 'a chunk that is longer than its size', bytes: '5\r\nhello!\r\n' },
  { name: 'a chunk without the CRLF behind it', bytes: '5\r\nhello0\r\n\r\n' },
  { name: 'a chunk that ends with LF alone', bytes: '5\r\nhello\n0\r\n\r\n' },
  { name: 'a chunk that ends with CR alone', bytes: '5\r\nhello\r0\r\n\r\n' },
  { name: 'a last chunk whose line ends with LF alone', bytes: '0\n\n' },
  { name: 'a trailer without a colon', bytes: '0\r\nbroken\r\n\r\n' },
  { name: 'a trailer with white space before the colon', bytes: '0\r\nname : value\r\n\r\n' },
  { name: 'a trailer with a NUL', bytes: '0\r\nname: va\0lue\r\n\r\n' },
  { name: 'an end inside a size', bytes: '5', ends: true },
  { name: 'an end inside a chunk', bytes: '5\r\nhel', ends: true },
  { name: 'an end behind a chunk', bytes: '5\r\nhello\r\n', ends: true },
  { name: 'an end before the empty line', bytes: '0\r\n', ends: true },
];

const route = { routes: [{ id: 'all', match: { path: '/{rest*}' }, access: 'public' }] };
const head = 'POST /upload HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Valid chunks of random sizes, so that the fault is at a random place in the stream. */
function goodChunks(dice: Random): string {
  const sizes = Array.from({ length: dice.below(6) }, () => 1 + dice.below(dice.pick([10, 1000, 30_000])));
  return sizes.map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join('');
}

interface Attempt {
  readonly response: RawResponse | undefined;
  readonly closed: boolean;
}

async function send(
  port: number,
  good: string,
  { bytes, ends }: (typeof faults)[number],
  dice: Random,
): Promise<Attempt> {
  const client = await connectTo(port);
  // In one packet, the fault may be found before the decision about the head. In several, the upstream already has the
  // head.
  if (dice.chance(0.5)) {
    client.send(head + good);
    await new Promise((sent) => setTimeout(sent, dice.below(8)));
    client.send(bytes);
  } else client.send(head + good + bytes);
  if (ends) client.socket.end();
  await client.untilClosed();
  const response = await client.read({ method: 'POST' });
  client.destroy();
  return { response, closed: client.closed };
}

function assertNeverCompleted(t: Test, name: string, upstream: Witness, { response, closed }: Attempt): void {
  t.ok(closed, `${name}: the connection is closed`);
  t.ok(response === undefined || response.status === 400, `${name}: 400 or no answer, not ${response?.status}`);
  t.same(
    upstream.seen.map(({ state }) => state).filter((state) => state !== 'aborted'),
    [],
    `${name}: never completed upstream`,
  );
  t.ok(
    upstream.seen.every(({ connectionClosed }) => connectionClosed),
    `${name}: the upstream connection is destroyed`,
  );
}

t.test(
  'a chunked body that becomes invalid never arrives whole, and its upstream connection is destroyed',
  async (t) => {
    const dice = random(7);
    const upstream = await witness(t);
    // A buffered body would be found invalid before the upstream gets anything.
    const routes = route.routes.map((each) => ({ ...each, request_buffering: 'off' }));
    const { port } = await gateway(t, behind(upstream.url, { ...route, routes }));
    let reached = 0;
    for (let round = 0; round < (isLong ? 100 : 4); round++) {
      for (const fault of faults) {
        upstream.forget();
        const attempt = await send(port, goodChunks(dice), fault, dice);
        await until(() => upstream.seen.every(({ connectionClosed }) => connectionClosed));
        assertNeverCompleted(t, `${fault.name}, round ${round}`, upstream, attempt);
        reached += upstream.seen.length;
      }
    }
    t.ok(reached > faults.length, 'many of them were found bad only after the upstream had the head');
  },
);

t.test('an early answer of the upstream does not make the invalid body whole', async (t) => {
  const dice = random(8);
  const upstream = await witness(t);
  upstream.behaveAtHead((request, response, seen) => {
    response.writeHead(200, { 'content-length': '5' }).write('early');
    follow(request, seen, () => response.end());
  });
  const { port } = await gateway(t, behind(upstream.url, route));
  for (const fault of faults) {
    upstream.forget();
    await send(port, goodChunks(dice), fault, dice);
    await until(() => upstream.seen.every(({ connectionClosed }) => connectionClosed));
    t.same(
      upstream.seen.map(({ state }) => state).filter((state) => state !== 'aborted'),
      [],
      `${fault.name}: never completed upstream`,
    );
  }
});

t.test('after all of this the gateway serves the next request', async (t) => {
  const dice = random(9);
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, route));
  for (const fault of faults) await send(port, goodChunks(dice), fault, dice);
  upstream.forget();
  const client = await connectTo(port);
  client.send(`${head}5\r\nhello\r\n0\r\n\r\n`);
  const response = await client.read({ method: 'POST' });
  client.destroy();
  t.equal(response?.status, 200);
  t.same(
    upstream.seen.map(({ body, state }) => `${body} ${state}`),
    ['hello completed'],
  );
});
