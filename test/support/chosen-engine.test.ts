import t, { type Test } from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { textWithEngine, withEngine } from './chosen-engine.ts';
import { setVariable } from './environment.ts';
import { behind, gatewayYaml } from './gateway.ts';

const choose = (t: Test, engine: string) => setVariable(t, 'GATEHOUSE_ENGINE', engine);

const url = 'http://127.0.0.1:1';
const blocks = { plain: { url }, said: { url, engine: 'own' }, http2: { url, http2: true } };

/** The default of the programs. */
function engines(text: string): object {
  const loaded = loadGatewayText(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return Object.fromEntries(Object.entries(loaded.config.upstreams).map(([name, { engine }]) => [name, engine]));
}

t.test('GATEHOUSE_ENGINE sets the engine of each upstream in a test that names none', async (t) => {
  choose(t, 'undici');
  const expected = { plain: 'undici', said: 'own', http2: 'own' };
  const body = behind('', { upstreams: blocks, defaults: { upstream: 'plain' } });
  t.strictSame(engines(gatewayYaml(body)), expected);
  const [, rest = ''] = gatewayYaml(body).split('\nlisten: 127.0.0.1:0\n');
  t.strictSame(engines(gatewayYaml(rest)), expected, 'given as text');
});

t.test('without GATEHOUSE_ENGINE the file is unchanged, byte for byte', async (t) => {
  choose(t, '');
  const file = { upstreams: blocks };
  t.equal(withEngine(file), file);
  const text = '# said\nupstreams: { a:   { url: x } }\n';
  t.equal(textWithEngine(text), text);
  t.strictSame(engines(gatewayYaml(behind(url))), { api: 'own' }, 'the default');
});

t.test('a text that is not a configuration file is unchanged, so that the program judges it', async (t) => {
  choose(t, 'undici');
  for (const text of ['', 'upstreams: [', 'upstreams: [a]', '- 1']) t.equal(textWithEngine(text), text);
});

t.test('`engine: own` is the default of a file without `engine`', async (t) => {
  choose(t, '');
  const load = (api: object) => loadGatewayText(gatewayYaml(behind('', { upstreams: { api: { url, ...api } } })));
  const [written, silent] = [load({ engine: 'own' }), load({})];
  t.ok(written.ok && silent.ok);
  if (written.ok && silent.ok) t.strictSame(written.config, silent.config);
});
