import t, { type Test } from 'tap';
import { skip as withoutCorpora } from '../support/corpora.ts';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { type Witness, witness } from '../support/witness.ts';
import type { CompileCase } from './support/case.ts';
import { compareReached, type Exceptions, faultsIn, NO_FAULTS } from './support/compare.ts';
import { compileCases, credentials } from './support/compile-cases.ts';
import { corpusCases } from './support/corpus-cases.ts';
import { envoy } from './support/envoy.ts';
import { askingByGrpc, askingByHttp, withoutUnused } from './support/exceptions.ts';
import { judgedFile } from './support/judged-file.ts';
import { type Reached, reached } from './support/reached.ts';

/** Two Envoys, and several thousand requests at each and at the gateway. */
t.setTimeout(300_000);

const withEnvoy = { skip: skipWithoutPeer('envoy-1.40.0') };
const withPaths = { skip: withEnvoy.skip || withoutCorpora };

interface Doors {
  readonly upstream: Witness;
  readonly gateway: TestGateway;
  readonly credentials: Awaited<ReturnType<typeof credentials>>;
}

let opened: Promise<Doors> | undefined;

/** One gateway for all tests of this file. */
function doors(): Promise<Doors> {
  opened ??= open(t);
  return opened;
}

async function open(t: Test): Promise<Doors> {
  const upstream = await witness(t);
  const decision = { listen: '127.0.0.1:0', grpc: '127.0.0.1:0' };
  const file = { ...(await judgedFile(t)), upstreams: { api: { url: upstream.url } } };
  const running = await gateway(t, { ...file, decision, trusted_proxies: ['127.0.0.1'] });
  return { upstream, gateway: running, credentials: await credentials() };
}

/** The page shows one host. These cases have several. */
// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
function everyHost(manager: any): void {
  for (const host of manager.route_config.virtual_hosts) host.domains = ['*'];
}

interface Asking {
  readonly port: number;
  readonly exceptions: Exceptions;
}

async function byGrpc(t: Test): Promise<Asking> {
  const { upstream, gateway } = await doors();
  const clusters = { gatehouse: `h2:${gateway.grpcAddress}`, orders: new URL(upstream.url).host };
  const { port } = await envoy(t, 'envoy-grpc.md', clusters, everyHost);
  return { port, exceptions: askingByGrpc };
}

async function byHttp(t: Test): Promise<Asking> {
  const { upstream, gateway } = await doors();
  const [gatehouse, own] = [gateway.decisionUrl, gateway.url].map((url) => new URL(url ?? '').host);
  const clusters = { gatehouse: gatehouse ?? '', gateway: own ?? '', orders: new URL(upstream.url).host };
  const { port } = await envoy(t, 'behind-envoy.md', clusters, everyHost);
  return { port, exceptions: askingByHttp };
}

const direct = new Map<string, Promise<Reached>>();

/** The same cases go to the gateway once. */
async function compared(t: Test, { port, exceptions }: Asking, cases: readonly CompileCase[]) {
  const { upstream, gateway } = await doors();
  const known = cases[0]?.name ?? '';
  if (!direct.has(known)) direct.set(known, reached(upstream.seen, gateway.port, cases));
  const found = compareReached(cases, (await direct.get(known)) as Reached, await reached(upstream.seen, port, cases));
  t.comment(`${cases.length} requests; ${found.both} forwarded by both, ${found.narrower.length} only by the gateway`);
  return { ...found, faults: faultsIn(found, exceptions) };
}

for (const [name, start] of Object.entries({ gRPC: byGrpc, HTTP: byHttp })) {
  t.test(`Envoy that asks by ${name} forwards and answers as the gateway does`, withEnvoy, async (t) => {
    const cases = [...compileCases((await doors()).credentials)];
    const { faults, both } = await compared(t, await start(t), cases);
    t.strictSame(faults, NO_FAULTS);
    t.ok(cases.length > 4_000 && both > 900, `${cases.length} requests, ${both} forwarded`);
  });

  t.test(`Envoy that asks by ${name} reads the paths of the corpora as the gateway does`, withPaths, async (t) => {
    const cases = [...corpusCases((await doors()).credentials)];
    const { faults, both } = await compared(t, await start(t), cases);
    t.strictSame(withoutUnused(faults), withoutUnused(NO_FAULTS));
    t.ok(cases.length > 5_000 && both > 50, `${cases.length} requests, ${both} forwarded`);
  });
}
