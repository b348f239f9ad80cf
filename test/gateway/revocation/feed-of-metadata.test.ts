import t, { type Test } from 'tap';
import { feedStanding } from '../../../src/gateway/revocation/feed-standing.ts';
import { failed } from '../../../src/gateway/server-client/fetch-json.ts';
import { followScript, stream } from '../../support/scripted-feed.ts';
import { until } from '../../support/until.ts';
import { heldClock, inAWord, openIssuer, openVerifiers, settings } from '../issuer.ts';

const ABSENT = { ...failed('the server names no feed'), absent: true };
const UNKNOWN = { ...failed('metadata: ECONNREFUSED'), unknown: true };

/** A gateway with credentials and `on_stale: deny`, which would answer 503 to each JWT of a server in doubt. */
async function bench(t: Test, metadata: (url: string) => Record<string, unknown> | number | undefined) {
  const clock = heldClock();
  const server = await openIssuer(t, clock);
  const changes = { jwks_uri: `${server.url}/jwks`, on_stale: 'deny' as const };
  const document = metadata(server.url);
  if (typeof document === 'object') server.metadata = document;
  if (typeof document === 'number')
    server.endpoint.misbehave((request, response) => {
      if (request.url !== '/jwks') response.writeHead(document).end();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(server.keys));
    });
  const verifiers = openVerifiers(t, { main: settings(server.url, changes) }, { clock, development: true });
  await verifiers.start();
  const said = async () => inAWord(await verifiers.verifier(['main'])(await server.sign()));
  return { said, feed: () => [...verifiers.stats()][0]?.feed, log: verifiers.log };
}

/** Answers of servers of other vendors. */
const withoutFeed: Readonly<Record<string, (url: string) => Record<string, unknown> | number>> = {
  'metadata that name no feed': (issuer) => ({ issuer }),
  'metadata of another issuer that name no feed': (url) => ({ issuer: `${url}/` }),
  'no metadata: 404': () => 404,
  'no metadata: 403': () => 403,
};

for (const [what, metadata] of Object.entries(withoutFeed))
  t.test(`a server without a feed is never in doubt: ${what}`, async (t) => {
    const { said, feed, log } = await bench(t, metadata);
    t.equal(await said(), 'miss');
    t.equal(feed(), undefined);
    t.match(log, [{ level: 'info', text: /follows no revocation feed/ }]);
  });

/** Answers that do not say if there is a feed, or that name a feed that the gateway cannot use. */
const unclear: Readonly<Record<string, (url: string) => Record<string, unknown> | number>> = {
  'status 503': () => 503,
  'status 429': () => 429,
  'metadata of another issuer that name a feed': (url) => ({
    issuer: `${url}/`,
    revocation_events_endpoint: `${url}/events`,
  }),
  'metadata that name a feed that is not there': (issuer) => ({
    issuer,
    revocation_events_endpoint: `${issuer}/events`,
  }),
};

for (const [what, metadata] of Object.entries(unclear))
  t.test(`\`on_stale\` applies until the gateway knows that the server has no feed: ${what}`, async (t) => {
    const { said, feed, log } = await bench(t, metadata);
    t.equal(await said(), 'outage');
    t.match(feed(), { connected: false, stale: true });
    t.match(log, [{ level: 'warn', text: /cannot follow the revocation feed/ }]);
  });

t.test('a gateway without credentials follows no feed, so nothing is in doubt', async (t) => {
  const clock = heldClock();
  const server = await openIssuer(t, clock);
  server.metadata.revocation_events_endpoint = `${server.url}/events`;
  const { client_secret: _, ...main } = settings(server.url, { on_stale: 'deny' });
  const verifiers = openVerifiers(t, { main }, { clock });
  await verifiers.start();
  t.equal(inAWord(await verifiers.verifier(['main'])(await server.sign())), 'miss');
});

t.test('a server that said that it has no feed is not in doubt while it does not answer', (t) => {
  const standing = feedStanding();
  t.notOk(standing.isAbsent(UNKNOWN), 'before its first answer');
  t.ok(standing.isAbsent(ABSENT));
  t.ok(standing.isAbsent(UNKNOWN));
  t.notOk(standing.isAbsent(failed('status 503', 503)), 'it names a feed now');
  t.notOk(standing.isAbsent(UNKNOWN));
  t.end();
});

t.test('a feed that was followed and that the metadata no longer name is lost, and not absent', async (t) => {
  const { messages, absences, log } = await followScript(
    t,
    (response) => response.writeHead(200, stream).end(':\n\n'),
    { named: (call) => call === 1 },
  );
  t.ok(await until(() => log.some(({ detail }) => detail === 'the server names no feed')));
  t.strictSame([...new Set(messages.map(({ kind }) => kind))], ['in_step', 'lost']);
  t.strictSame(absences, [], 'the line `the gateway follows no revocation feed` would be false');
});
