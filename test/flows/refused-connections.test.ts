import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { sample } from '../support/metric-sample.ts';
import { open } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const METRIC = 'gatehouse_connections_refused_total';
const TOLD = 'refused 1 connection: `limits.connections` (2) is reached';

/** Three connections, one more than the limit. */
async function flood(t: Test, port: number): Promise<void> {
  const clients = [];
  for (const _ of [1, 2, 3]) clients.push(await open(t, port));
  await clients[2]?.read().catch(() => undefined);
}

const listeners = [
  ['listen', 'url'],
  ['decision', 'decisionUrl'],
  ['decision.grpc', 'grpcAddress'],
] as const;

for (const [listener, at] of listeners) {
  t.test(`a connection beyond limits.connections is in the log and in the metric: ${listener}`, async (t) => {
    const upstream = await witness(t);
    const decision = { listen: '127.0.0.1:0', grpc: '127.0.0.1:0' };
    const body = { admin: '127.0.0.1:0', decision, trusted_proxies: ['127.0.0.1'], limits: { connections: 2 } };
    const running = await gateway(t, behind(upstream.url, body));
    await flood(t, Number(running[at]?.split(':').at(-1)));
    const lines = () => running.log.filter(({ msg }) => String(msg).startsWith('refused'));
    t.ok(await until(() => lines().length > 0));
    t.match(lines(), [{ level: 40, listener, count: 1, msg: TOLD }]);
    t.equal(await sample(running.adminUrl as string, METRIC, { listener }), 1);
  });
}

t.test('with several workers, the same line and the same metric show a refused connection', async (t) => {
  const upstream = await witness(t);
  const running = await group(t, behind(upstream.url, { limits: { connections: 2 } }), 2);
  await flood(t, running.port);
  t.ok(await until(async () => (await running.metric(METRIC)) === 1));
  t.ok(await until(() => running.said(TOLD) > 0));
});
