import { readFileSync } from 'node:fs';
import t from 'tap';
import { described, labels, registries } from '../../../tools/metrics-page.ts';
import { run } from '../../authorization/running-service.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { witness } from '../../support/witness.ts';

const [ofGateway, ofGroup, ofService] = registries().map((registry) => described(registry).map(({ name }) => name));

/** Our metrics that a program serves. */
async function served(adminUrl: string | undefined): Promise<readonly string[]> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (gatehouse_\w+) /gm)].map(([, name = '']) => name).toSorted();
}

t.test('the page has every metric that a gateway serves, and no other', async (t) => {
  const upstream = await witness(t);
  const listeners = { admin: '127.0.0.1:0', receiver: { listen: '127.0.0.1:0' } };
  const running = await gateway(t, behind(upstream.url, listeners));
  t.strictSame(await served(running.adminUrl), ofGateway?.toSorted());
});

t.test('the page has every metric that an authorization service serves, and no other', async (t) => {
  const service = await run(t);
  t.strictSame(await served(service.admin), ofService?.toSorted());
});

t.test('every label of a metric has its values on the page, and no other label has', (t) => {
  const used = registries().flatMap((registry) => described(registry).flatMap(({ labelNames }) => labelNames));
  t.strictSame([...new Set(used)].toSorted(), Object.keys(labels).toSorted());
  t.ok(ofGroup?.includes('gatehouse_workers'));
  t.end();
});

t.test('a query on the page uses metrics that exist', (t) => {
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  const asked = page.slice(0, page.indexOf('## Labels')).match(/gatehouse_\w+/g) ?? [];
  const known = registries().flatMap((registry) => described(registry).map(({ name }) => name));
  t.ok(asked.length > 5);
  for (const name of asked) t.ok(known.includes(name.replace(/_bucket$/, '')), name);
  t.end();
});

t.test('every metric has a sentence with its meaning', (t) => {
  for (const { name, help } of registries().flatMap(described)) t.match(help, /^[A-Z0-9].{8,}\.$/, name);
  t.end();
});
