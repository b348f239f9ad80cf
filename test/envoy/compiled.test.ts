import t, { type Test } from 'tap';
import { skip as withoutCorpora } from '../support/corpora.ts';
import { freePort } from '../support/free-port.ts';
import { gateway } from '../support/gateway.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import type { CompileCase } from './support/case.ts';
import { type Compared, compareReached, faultsIn, NO_FAULTS } from './support/compare.ts';
import { askedCases, compileCases, credentials } from './support/compile-cases.ts';
import { compiledEnvoy, type Sabotage } from './support/compiled-envoy.ts';
import { corpusCases } from './support/corpus-cases.ts';
import { challengeParameters, compiledHere, compiledParts, withoutUnused } from './support/exceptions.ts';
import { askedFile, judgedFile } from './support/judged-file.ts';
import { plantedAnswers, plantedFaults } from './support/planted-faults.ts';
import { type Reached, reached } from './support/reached.ts';

/** An Envoy starts for each test, and several thousand requests reach it. */
t.setTimeout(600_000);

const options = { skip: skipWithoutPeer('envoy-1.40.0') };
const withPaths = { skip: options.skip || withoutCorpora };

/** The same for every Envoy. */
interface Reference {
  readonly file: object;
  readonly cases: readonly CompileCase[];
  readonly direct: Reached;
}

async function reference(t: Test, cases: readonly CompileCase[]): Promise<Reference> {
  const file = await judgedFile(t);
  const upstream = await witness(t);
  const running = await gateway(t, { ...file, upstreams: { api: { url: upstream.url } } });
  return { file, cases, direct: await reached(upstream.seen, running.port, cases) };
}

let written: Promise<Reference> | undefined;

/** The cases of the tests themselves go to the gateway once. */
function ownReference(): Promise<Reference> {
  written ??= credentials().then((known) => reference(t, [...compileCases(known)]));
  return written;
}

async function compare(t: Test, { file, cases, direct }: Reference, sabotage?: Sabotage): Promise<Compared> {
  const upstream = await witness(t);
  const proxy = await compiledEnvoy(t, { ...file, upstreams: { api: { url: upstream.url } } }, { sabotage });
  const found = compareReached(cases, direct, await reached(upstream.seen, proxy.port, cases), compiledParts);
  t.comment(`${cases.length} requests; ${found.both} forwarded by both, ${found.narrower.length} only by the gateway`);
  return found;
}

t.test('the compiled Envoy forwards nothing that the gateway refuses, and the rest unchanged', options, async (t) => {
  const base = await ownReference();
  const found = await compare(t, base);
  t.strictSame(faultsIn(found, compiledHere), NO_FAULTS);
  t.ok(base.cases.length > 4_000 && found.both > 700, `${base.cases.length} requests, ${found.both} forwarded`);
});

t.test('the compiled Envoy opens no route to a path of the corpora', withPaths, async (t) => {
  const base = await reference(t, [...corpusCases(await credentials())]);
  const found = await compare(t, base);
  t.strictSame(withoutUnused(faultsIn(found, compiledHere)), withoutUnused(NO_FAULTS));
  t.ok(base.cases.length > 5_000 && found.both > 50, `${base.cases.length} requests, ${found.both} forwarded`);
});

t.test('the same requests find each wrong compile that is more open', options, async (t) => {
  const base = await ownReference();
  for (const [fault, sabotage] of Object.entries(plantedFaults))
    await t.test(fault, async (t) => {
      const { wider, changed } = faultsIn(await compare(t, base, sabotage), compiledHere);
      t.ok(wider.length + changed.length > 0, `${wider.length} too much, ${changed.length} changed`);
    });
});

/** With and without rights, and from pages. */
const ANSWERED = / with (?:none|read|expired|scope without rights|underscore|.*origin.*)$/;

t.test('the same requests find each wrong compile that answers clients in another way', options, async (t) => {
  const { cases } = await ownReference();
  const some = await reference(
    t,
    cases.filter(({ name }) => ANSWERED.test(name)),
  );
  const right = faultsIn(await compare(t, some), compiledHere);
  t.strictSame(withoutUnused(right), withoutUnused(NO_FAULTS));
  for (const [fault, sabotage] of Object.entries(plantedAnswers))
    await t.test(fault, async (t) => {
      const faults = faultsIn(await compare(t, some, sabotage), compiledHere);
      t.strictSame([faults.wider, faults.changed], [[], []]);
      const unused = faults.unused.filter((text) => !right.unused.includes(text));
      const found = [...faults.narrower, ...faults.answers, ...unused];
      t.ok(found.length > 0, `${found.length} found, such as ${found[0]}`);
    });
});

t.test('a refusal has a Bearer challenge that leads to the metadata of RFC 9728', options, async (t) => {
  const file = { ...(await judgedFile(t)), upstreams: { api: { url: 'http://127.0.0.1:9' } } };
  const { port } = await compiledEnvoy(t, file);
  const challenged = async (...headers: (readonly [string, string])[]) => {
    const answer = await ask(port, requestText({ target: '/orders/7', headers }));
    const [challenge = '', ...more] = answer.all('www-authenticate');
    t.match(challenge, /^Bearer realm="api", /);
    t.strictSame(more, []);
    t.equal(answer.header('content-type'), 'application/problem+json');
    t.equal(JSON.parse(String(answer.body)).status, answer.status);
    return { status: answer.status, ...challengeParameters(challenge) };
  };
  const realm = 'api';
  const resource_metadata = 'https://api.example.com/.well-known/oauth-protected-resource';
  t.strictSame(await challenged(), { status: 401, realm, resource_metadata });
  const expired = await jwt({ scope: 'orders.read', exp: 1 });
  t.strictSame(await challenged(bearer(expired)), { status: 401, realm, resource_metadata, error: 'invalid_token' });
  const other = bearer(await jwt({ scope: 'other' }));
  t.strictSame(await challenged(other), { status: 403, realm, resource_metadata, error: 'insufficient_scope' });
  const document = await ask(port, requestText({ target: new URL(resource_metadata).pathname }));
  t.strictSame([document.status, document.header('content-type')], [200, 'application/json']);
  t.strictSame(JSON.parse(String(document.body)), {
    resource: 'https://api.example.com',
    authorization_servers: ['https://auth.example.com', 'https://partner.example.com'],
    scopes_supported: ['orders.write', 'orders.read', 'orders.list', 'admin'],
    bearer_methods_supported: ['header'],
  });
});

t.test('Gatehouse decides about routes that Envoy cannot judge, and Envoy about the others', options, async (t) => {
  const upstream = await witness(t);
  const port = await freePort();
  const file = await askedFile(t, upstream.url, port);
  const running = await gateway(t, file);
  const proxy = await compiledEnvoy(t, file, { mode: 'ask' });
  const asked = proxy.plan.routes.filter(({ judged }) => judged === 'asked').map(({ id }) => id);
  t.strictSame(asked, ['beta', 'beta-all', 'tenants']);
  const cases = [...askedCases(await credentials())];
  const through = await reached(upstream.seen, proxy.port, cases);
  const direct = await reached(upstream.seen, running.port, cases);
  const { wider, changed, narrower, both } = compareReached(cases, direct, through, compiledParts);
  t.strictSame([wider, narrower], [[], []]);
  t.ok(both > 5);
  t.strictSame(
    changed.filter((text) => !compiledHere.changed.some(({ is }) => is.test(text))),
    [],
  );
  t.ok(
    running.log.some((record) => 'via' in record),
    'Envoy has asked',
  );
  await running.stop();
  const closed = await reached([], proxy.port, cases.slice(0, 1));
  t.equal(closed.answers.get('0')?.status, 503, 'nothing passes while Gatehouse is gone');
});
