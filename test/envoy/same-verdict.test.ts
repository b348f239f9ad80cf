import t, { type Test } from 'tap';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { type Witness, witness } from '../support/witness.ts';
import { type CompileCase, compileCases, credentials, judgedFile } from './support/compile-cases.ts';
import { envoy } from './support/envoy.ts';
import { compareReached, differences, type Reached, reached } from './support/reached.ts';

/** Two Envoys, and several thousand requests at each and at the gateway. */
t.setTimeout(300_000);

const options = { skip: skipWithoutPeer('envoy-1.40.0') };

interface Doors {
  readonly upstream: Witness;
  readonly gateway: TestGateway;
  readonly cases: readonly CompileCase[];
  readonly direct: Reached;
}

async function doors(t: Test): Promise<Doors> {
  const upstream = await witness(t);
  const decision = { listen: '127.0.0.1:0', grpc: '127.0.0.1:0' };
  const file = { ...(await judgedFile(t)), upstreams: { api: { url: upstream.url } } };
  const running = await gateway(t, { ...file, decision, trusted_proxies: ['127.0.0.1'] });
  const cases = [...compileCases(await credentials())];
  const direct = await reached([...upstream.seen], running.port, cases).then(({ statuses }) => statuses);
  const seen = new Map(upstream.seen.map((each) => [each.header('x-case') ?? '', each]));
  upstream.forget();
  return { upstream, gateway: running, cases, direct: { seen, statuses: direct } };
}

/** The page shows one host. These cases have several. */
// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
function everyHost(manager: any): void {
  for (const host of manager.route_config.virtual_hosts) host.domains = ['*'];
}

/** Envoy joins two lines to this one, so the gateway reads two. At its own listener, the first scheme counts. */
const JOINED = ['GET /maybe/x at api.example.com with behind Basic: 200, 400'];

t.test('Envoy that asks by gRPC forwards exactly what the gateway forwards', options, async (t) => {
  const { upstream, gateway, cases, direct } = await doors(t);
  const clusters = { gatehouse: `h2:${gateway.grpcAddress}`, orders: new URL(upstream.url).host };
  const proxy = await envoy(t, 'envoy-grpc.md', clusters, everyHost);
  const { wider, changed, narrower, both } = compareReached(
    cases,
    direct,
    await reached(upstream.seen, proxy.port, cases),
  );
  t.strictSame(wider, []);
  t.strictSame(changed, []);
  t.strictSame(narrower, JOINED);
  t.ok(cases.length >= 3_000 && both > 500);
  t.comment(`${cases.length} requests; ${both} forwarded by both, ${narrower.length} only by the gateway`);
});

t.test('Envoy that asks by HTTP forwards nothing that the gateway refuses', options, async (t) => {
  const { upstream, gateway, cases, direct } = await doors(t);
  const [gatehouse, own] = [gateway.decisionUrl, gateway.url].map((url) => new URL(url ?? '').host);
  const clusters = { gatehouse: gatehouse ?? '', gateway: own ?? '', orders: new URL(upstream.url).host };
  const proxy = await envoy(t, 'behind-envoy.md', clusters, everyHost);
  const through = await reached(upstream.seen, proxy.port, cases);
  // Envoy forwards the target as the client spelled it.
  const except = (one: Parameters<typeof differences>[0], other: typeof one) =>
    differences(one, other).filter((difference) => !difference.startsWith('target '));
  const { wider, changed, narrower, both } = compareReached(cases, direct, through, except);
  t.strictSame(wider, []);
  t.strictSame(changed, []);
  t.strictSame(narrower, JOINED);
  t.comment(`${cases.length} requests; ${both} forwarded by both, ${narrower.length} only by the gateway`);
});
