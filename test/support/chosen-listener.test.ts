import t, { type Test } from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { textWithListener, withListener } from './chosen-listener.ts';
import { setVariable } from './environment.ts';
import { behind, gatewayYaml } from './gateway.ts';

const choose = (t: Test, listener: string) => setVariable(t, 'GATEHOUSE_LISTENER', listener);

/** The default of the programs. */
function listenerOf(text: string): string {
  const loaded = loadGatewayText(text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.listener;
}

const file = (more: object = {}) => behind('http://127.0.0.1:1', more);
const asText = (body: object) => gatewayYaml(body).replace(/^version: 1\nlisten: .*\n/, '');

t.test('GATEHOUSE_LISTENER sets the listener of each gateway in a test that names none', async (t) => {
  const plain = asText(file());
  choose(t, 'node');
  t.equal(listenerOf(gatewayYaml(file())), 'node');
  t.equal(listenerOf(gatewayYaml(plain)), 'node', 'given as text');
  t.equal(listenerOf(gatewayYaml(file({ listener: 'auto' }))), 'auto');
});

t.test('without GATEHOUSE_LISTENER the file is unchanged, byte for byte', async (t) => {
  choose(t, '');
  const given = file();
  t.equal(withListener(given), given);
  const text = '# said\nupstreams: { a:   { url: x } }\n';
  t.equal(textWithListener(text), text);
  t.equal(listenerOf(gatewayYaml(file())), 'auto', 'the default');
});

t.test('a file without upstreams, and a text that is not a configuration file, are unchanged', async (t) => {
  choose(t, 'auto');
  t.strictSame(withListener({ issuer: 'x' }), { issuer: 'x' });
  for (const text of ['', 'upstreams: [', '- 1', 'issuer: x\n']) t.equal(textWithListener(text), text);
});
