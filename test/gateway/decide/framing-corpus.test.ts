import t, { type Test } from 'tap';
import { skip } from '../../support/corpora.ts';
import { serialisations, severeEntries } from '../../support/desync-entries.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { customCases, faultyBodies, type Judged, mustCases, type ProbeCase } from '../../support/probe-cases.ts';
import { connectTo, type RawClient } from '../../support/raw-client.ts';
import type { RawResponse } from '../../support/raw-response.ts';
import { until } from '../../support/until.ts';
import { type Seen, type Witness, witness } from '../../support/witness.ts';

/** Everything is public here, so a refusal is only about framing. */
const open = { routes: [{ id: 'all', match: { path: '/{rest*}' }, access: 'public' }] };

interface Bench {
  readonly port: number;
  readonly upstream: Witness;
}

async function bench(t: Test): Promise<Bench> {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, open));
  return { port, upstream };
}

interface Outcome {
  readonly first: RawResponse | undefined;
  readonly closed: boolean;
  readonly seen: readonly Seen[];
}

/**
 * Sends the bytes and, after a refusal, another request, which a connection in doubt must not serve. Then the client
 * ends its side, which bounds the wait: a gateway that waits for a body sees that it never comes.
 */
async function send({ port, upstream }: Bench, bytes: string): Promise<Outcome> {
  upstream.forget();
  const behindIt = nextBehind();
  const client = await connectTo(port);
  client.send(bytes);
  const first = await firstAnswer(client, bytes);
  if (first?.status === 400) client.send(`GET ${behindIt} HTTP/1.1\r\nHost: api.example.com\r\n\r\n`);
  const closed = first?.status === 200 ? client.closed : await ended(client);
  client.destroy();
  await until(() => upstream.seen.every(({ state }) => state !== 'open'));
  // A request that is given up may reach the upstream after the next case has begun.
  const seen = upstream.seen.filter(({ target }) => !target.startsWith(BEHIND) || target === behindIt);
  return { first, closed, seen };
}

/** The client ends a body that never ends, after the gateway had time to answer. */
async function firstAnswer(client: RawClient, bytes: string): Promise<RawResponse | undefined> {
  const method = bytes.slice(0, bytes.indexOf(' '));
  try {
    return await client.read({ method, deadline: 300 });
  } catch {
    client.socket.end();
    return await client.read({ method, deadline: 20_000 });
  }
}

const BEHIND = '/behind/';
let sent = 0;
const nextBehind = () => `${BEHIND}${sent++}`;

async function ended(client: RawClient): Promise<boolean> {
  client.socket.end();
  await client.untilClosed();
  return client.closed;
}

function assertRefused(t: Test, id: string, { first, closed, seen }: Outcome, bytes: string): void {
  t.ok(first === undefined ? closed : first.status === 400, `${id}: 400 or a closed connection, not ${first?.status}`);
  // If no length is in doubt, a refusal leaves the connection usable.
  const inDoubt = /content-length|transfer-encoding/i.test(bytes);
  const reached = seen
    .map(({ method, target }) => `${method} ${target}`)
    .filter((each) => inDoubt || !each.startsWith(`GET ${BEHIND}`));
  t.same(reached, [], `${id}: nothing reached the upstream`);
}

function assertCut(t: Test, id: string, { first, seen }: Outcome): void {
  t.ok(first === undefined || first.status === 400, `${id}: 400 or a closed connection, not ${first?.status}`);
  t.same(
    seen.map(({ state }) => state).filter((state) => state !== 'aborted'),
    [],
    `${id}: never completed upstream`,
  );
  t.ok(
    seen.every(({ connectionClosed }) => connectionClosed),
    `${id}: its connection to the upstream is destroyed`,
  );
}

function assertAnswered(t: Test, id: string, { first, seen }: Outcome, _bytes: string, { status = [] }: Judged): void {
  const reached = seen.map(({ target }) => target).filter((target) => !target.startsWith(BEHIND));
  t.ok(first !== undefined && status.includes(first.status), `${id}: ${first?.status} is one of ${status.join(', ')}`);
  t.ok(reached.length <= 1, `${id}: the upstream got one request at most`);
  t.ok(
    reached.every((target) => target === '/' || target === '/echo'),
    `${id}: and with the target that was asked for`,
  );
}

t.test(
  'a request that http-desync-guardian calls severe is refused, and its head never reaches the upstream',
  { skip },
  async (t) => {
    const place = await bench(t);
    const entries = severeEntries();
    t.equal(entries.length, 58, 'all of the corpus');
    for (const entry of entries) {
      for (const [index, bytes] of serialisations(entry).entries())
        assertRefused(t, `${entry.id} (${index})`, await send(place, bytes), bytes);
    }
  },
);

t.test('a request that every server must refuse is refused', { skip }, async (t) => {
  const place = await bench(t);
  const cases = mustCases(`127.0.0.1:${place.port}`).filter(({ expected }) => expected === 'Exact(400)');
  t.equal(cases.length, 50, 'all of the corpus');
  for (const { id, payload } of cases) {
    const assert: typeof assertRefused = faultyBodies.has(id) ? assertCut : assertRefused;
    assert(t, id, await send(place, payload), payload);
  }
});

t.test('a request whose meaning decides is refused, cut or answered as the RFC says', { skip }, async (t) => {
  const place = await bench(t);
  const cases = mustCases(`127.0.0.1:${place.port}`).filter(({ expected }) => expected === 'custom');
  t.same(cases.map(({ id }) => id).sort(), Object.keys(customCases).sort(), 'every case has its reason in the table');
  for (const each of cases) judge(t, each, customCases[each.id] as Judged, await send(place, each.payload));
});

t.test('a request that every server must accept is accepted', { skip }, async (t) => {
  const place = await bench(t);
  const cases = mustCases(`127.0.0.1:${place.port}`).filter(({ expected }) => expected === 'Range2xx');
  t.equal(cases.length, 4, 'all of the corpus');
  for (const { id, payload } of cases) {
    // `OPTIONS *` has no path, so it matches no route of this gateway: the 404 is about the route, not the framing.
    const status = id === 'COMP-OPTIONS-STAR' ? [200, 204, 404] : [200];
    const { first } = await send(place, payload);
    t.ok(first !== undefined && status.includes(first.status), `${id}: ${first?.status}`);
  }
});

function judge(t: Test, { id, payload }: ProbeCase, judged: Judged, outcome: Outcome): void {
  const table = { refused: assertRefused, cut: assertCut, answered: assertAnswered };
  table[judged.treatment](t, `${id} (${judged.why})`, outcome, payload, judged);
}
