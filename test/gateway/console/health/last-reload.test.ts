import t from 'tap';
import { loadGatewayText } from '../../../../src/config/load/load.ts';
import type { GatewayConfig } from '../../../../src/config/schema/gateway.ts';
import { LastReload } from '../../../../src/gateway/console/health/last-reload.ts';
import type { LiveGeneration } from '../../../../src/gateway/generation/generation.ts';

function configWith(path: string): GatewayConfig {
  const text = `version: 1
listen: 127.0.0.1:0
upstreams: { api: { url: "http://127.0.0.1:9" } }
routes: [{ match: { path: "${path}" }, access: public, upstream: api }]
`;
  const loaded = loadGatewayText(text, { file: 'gateway.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

t.test('the files of a reload are compared once, and those of the next reload again', async (t) => {
  const [first, second, third] = ['/a', '/b', '/c'].map(configWith);
  const live = { current: { config: first } } as { -readonly [Key in keyof LiveGeneration]: LiveGeneration[Key] };
  const last = new LastReload(live);
  t.strictSame(await last.look(), { at: null });
  const reload = (to: GatewayConfig | undefined, at: number) => {
    const { config } = live.current;
    Object.assign(live, { current: { config: to }, replaced: { config, at } });
  };
  reload(second, 1);
  const [one, again] = await Promise.all([last.look(), last.look()]);
  t.match(one, { at: 1, changes: [{ path: '/b', change: 'opened' }, { path: '/a' }] });
  t.equal('changes' in one && one.changes, 'changes' in again && again.changes, 'the same result');
  reload(third, 2);
  t.match(await last.look(), { at: 2, changes: [{ path: '/c' }, { path: '/b' }] });
});
