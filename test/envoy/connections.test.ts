import t from 'tap';
import { gateway } from '../support/gateway.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { compiledEnvoy } from './support/compiled-envoy.ts';
import { connected, plantedConnections } from './support/connection-cases.ts';

/** An Envoy starts for each fault, and a slow upstream answers after seconds. */
t.setTimeout(300_000);

t.test(
  'a compiled Envoy has the limits of time, retries and TLS of the gateway, and each wrong one is found',
  { skip: skipWithoutPeer('envoy-1.40.0') },
  async (t) => {
    const { file, results } = await connected(t);
    const wanted = await results((await gateway(t, file)).port);
    t.strictSame(wanted, {
      slow: '504, 1 arrived',
      failing: '503, 1 arrived',
      half: '200, 1 arrived',
      secure: '200, 1 arrived',
      renamed: 'unreachable',
      stranger: 'unreachable',
    });
    t.strictSame(await results((await compiledEnvoy(t, file)).port), wanted);
    for (const [fault, sabotage] of Object.entries(plantedConnections))
      t.notSame(await results((await compiledEnvoy(t, file, { sabotage })).port), wanted, fault);
  },
);
