import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { gateway } from '../support/gateway.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { witness } from '../support/witness.ts';
import {
  askedCases,
  askedFile,
  type CompileCase,
  compileCases,
  credentials,
  judgedFile,
} from './support/compile-cases.ts';
import { compiledEnvoy, faultsOf, type Sabotage } from './support/compiled-envoy.ts';
import { compiledInEachWay, knownFiles } from './support/known-files.ts';
import { plantedFaults } from './support/planted-faults.ts';
import { type Compared, compareReached, differences, type Reached, reached } from './support/reached.ts';

/** An Envoy starts for each test, and several thousand requests reach it. */
t.setTimeout(600_000);

const options = { skip: skipWithoutPeer('envoy-1.40.0') };

/** The same for every Envoy of a test. */
interface Reference {
  readonly file: object;
  readonly cases: readonly CompileCase[];
  readonly direct: Reached;
}

async function reference(t: Test): Promise<Reference> {
  const file = await judgedFile(t);
  const upstream = await witness(t);
  const running = await gateway(t, { ...file, upstreams: { api: { url: upstream.url } } });
  const cases = [...compileCases(await credentials())];
  return { file, cases, direct: await reached(upstream.seen, running.port, cases) };
}

async function compare(t: Test, { file, cases, direct }: Reference, sabotage?: Sabotage): Promise<Compared> {
  const upstream = await witness(t);
  const proxy = await compiledEnvoy(t, { ...file, upstreams: { api: { url: upstream.url } } }, { sabotage });
  return compareReached(cases, direct, await reached(upstream.seen, proxy.port, cases));
}

t.test('the compiled Envoy forwards nothing that the gateway refuses, and the rest unchanged', options, async (t) => {
  const base = await reference(t);
  const { wider, changed, narrower, both } = await compare(t, base);
  t.strictSame(wider, []);
  t.strictSame(changed, []);
  t.ok(base.cases.length >= 3_000);
  t.comment(`${base.cases.length} requests; ${both} forwarded by both, ${narrower.length} only by the gateway`);
});

t.test('the same requests find each wrong compile', options, async (t) => {
  const base = await reference(t);
  for (const [fault, sabotage] of Object.entries(plantedFaults)) {
    const { wider, changed } = await compare(t, base, sabotage);
    t.ok(wider.length + changed.length > 0, fault);
    t.comment(`${fault}: ${wider.length} too much, ${changed.length} changed`);
  }
});

t.test(
  'Envoy accepts what the compiler writes for the files of the documentation, without a warning',
  options,
  async (t) => {
    const written = knownFiles().flatMap(compiledInEachWay);
    for (const { title, text } of written) t.equal(faultsOf(t, text), '', title);
    t.ok(written.length >= 40, `${written.length} files`);
    t.comment(`${written.length} configurations of ${knownFiles().length} files`);
  },
);

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
  upstream.forget();
  const direct = await reached(upstream.seen, running.port, cases);
  t.strictSame([...through.seen.keys()].sort(), [...direct.seen.keys()].sort());
  t.ok(direct.seen.size > 5);
  for (const [index, seen] of direct.seen)
    t.strictSame(differences(seen, through.seen.get(index)), [], cases[Number(index)]?.name ?? index);
  t.ok(
    running.log.some((record) => 'via' in record),
    'Envoy has asked',
  );
  await running.stop();
  const closed = await reached([], proxy.port, cases.slice(0, 1));
  t.strictSame([...closed.statuses.values()], [503], 'nothing passes while Gatehouse is gone');
});
