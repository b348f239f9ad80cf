import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { behind, gatewayYaml } from '../../support/gateway.ts';
import { hmacServer } from '../../support/tokens.ts';

const MOST = 10_000_000;

function load(cache: object) {
  const servers = { main: { ...hmacServer.main, cache } };
  const text = gatewayYaml(behind('http://127.0.0.1:9', { authorization_servers: servers }));
  return loadGatewayText(text, { file: 'gateway.yaml', env: {} });
}

t.test('a cache has at most ten million places, because more would fail only at the first token', async (t) => {
  for (const key of ['size', 'negative_size']) {
    t.equal(load({ [key]: MOST }).ok, true, key);
    const loaded = load({ [key]: MOST + 1 });
    t.match(loaded, { ok: false, problems: [{ hint: `at most ${MOST}` }] }, key);
  }
});
