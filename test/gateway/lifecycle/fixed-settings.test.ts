import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { keepFixed } from '../../../src/gateway/lifecycle/fixed-settings.ts';
import { routeChanges } from '../../../src/gateway/routing/route-changes.ts';
import { gatewayBase } from '../../config/base-config.ts';

function config(more: object) {
  const loaded = loadGatewayText(JSON.stringify({ ...gatewayBase(), ...more }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

t.test('addresses keep their old values, an absent one stays absent, and everything else is new', async (t) => {
  const running = config({ listen: '127.0.0.1:1', admin: '127.0.0.1:2' });
  const trusted_proxies = ['127.0.0.1'];
  const decision = { listen: '127.0.0.1:5', max_age: '2s' };
  const next = config({ listen: '127.0.0.1:3', health: '127.0.0.1:4', realm: 'new', decision, trusted_proxies });
  const { config: kept, kept: names } = keepFixed(running, next);
  t.strictSame(names, ['listen', 'admin', 'health', 'decision']);
  t.match(kept, { listen: { port: 1 }, admin: { port: 2 }, realm: 'new', decision_max_age: 2_000 });
  t.strictSame([kept.health, kept.decision], [undefined, undefined]);
  t.strictSame(keepFixed(running, running).kept, []);
});

t.test('routes are identified by their ids', async (t) => {
  const route = (id: string, path: string) => ({ id, match: { path }, access: 'public' });
  const before = config({ routes: [route('a', '/a'), route('b', '/b'), route('c', '/c')] }).routes;
  const after = config({ routes: [route('c', '/d'), route('b', '/b'), route('e', '/a')] }).routes;
  t.strictSame(routeChanges(before, after), { added: ['e'], removed: ['a'], changed: ['c'] });
});
