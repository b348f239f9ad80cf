import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { makePlan } from '../../src/gateway/compile/make-plan.ts';
import { compileTargets } from '../../src/gateway/compile/targets.ts';
import { compareReached } from '../envoy/support/compare.ts';
import { compileCases, credentials } from '../envoy/support/compile-cases.ts';
import { corpusCases } from '../envoy/support/corpus-cases.ts';
import { behindEnvoyGateway } from '../envoy/support/exceptions.ts';
import { judgedFile } from '../envoy/support/judged-file.ts';
import { reached } from '../envoy/support/reached.ts';
import { skip as withoutCorpora } from '../support/corpora.ts';
import { gateway, gatewayYaml } from '../support/gateway.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { witness } from '../support/witness.ts';
import { asText, envoyGateway, peer, placed } from './support/envoy-gateway.ts';

/** Translates, starts an Envoy, and sends several thousand requests to it and to the gateway. */
t.setTimeout(300_000);

const namespace = 'shop';

/** The compiled objects in one namespace, at the Gateway of the test. */
function objectsOf(body: object): string {
  const loaded = loadGatewayText(gatewayYaml(body), { file: 'gateway.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2));
  const target = compileTargets['envoy-gateway'];
  if (target === undefined) throw new Error('there is no target for Envoy Gateway');
  const plan = makePlan({ ...loaded, source: { file: 'gateway.yaml', hash: '' }, keys: new Map() }, 'ask', {
    limits: target.limits,
  });
  return asText(placed(target.render(plan), namespace));
}

t.test(
  'the gateway accepts each request that a compiled Envoy Gateway forwards, with the forwarded target',
  { skip: skipWithoutPeer(peer) },
  async (t) => {
    const upstream = await witness(t);
    const file = { ...(await judgedFile(t)), trusted_proxies: ['127.0.0.1'] };
    const running = await gateway(t, {
      ...file,
      decision: { listen: '127.0.0.1:0' },
      upstreams: { api: { url: upstream.url } },
    });
    const known = await credentials();
    const cases = [...compileCases(known), ...(withoutCorpora === false ? corpusCases(known) : [])];
    const direct = await reached(upstream.seen, running.port, cases);
    const decision = { listen: '0.0.0.0:8082' };
    const objects = objectsOf({ ...file, decision, upstreams: { api: { url: `http://api.${namespace}.svc:80` } } });
    const services = {
      api: { port: 80, at: new URL(upstream.url).host },
      gatehouse: { port: 8082, at: new URL(running.decisionUrl ?? '').host },
    };
    const proxy = await envoyGateway(t, objects, { namespace, services });
    const through = await reached(upstream.seen, proxy.port, cases);
    const { wider, changed, narrower, both } = compareReached(cases, direct, through);
    // Envoy Gateway resolves dot segments and `\\`. Gatehouse judges the resolved path, and the upstream gets this path.
    const resolved = [...through.seen].flatMap(([index, { target }]) => {
      const original = cases[Number(index)];
      return direct.seen.has(index) || original === undefined ? [] : [{ ...original, target }];
    });
    const judged = await reached(upstream.seen, running.port, resolved);
    t.strictSame(
      resolved.filter((_, index) => !judged.seen.has(String(index))).map(({ name, target }) => `${name} → ${target}`),
      [],
    );
    t.equal(wider.length, resolved.length);
    t.strictSame(
      changed.filter((text) => !behindEnvoyGateway.some(({ is }) => is.test(text))),
      [],
    );
    t.ok(both > 300, `${both} forwarded by both`);
    t.comment(`${cases.length} requests; ${both} forwarded by both, ${narrower.length} only by the gateway`);
  },
);
