import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';

const MOST = 10_000_000;

function load(cache: object) {
  const main = { issuer: 'https://auth.example.com', audience: 'https://api.example.com', cache };
  const text = JSON.stringify({
    version: 1,
    listen: '127.0.0.1:8080',
    upstreams: { api: { url: 'http://127.0.0.1:9000' } },
    authorization_servers: { main },
    routes: [{ match: { path: '/orders' }, upstream: 'api', access: 'authenticated' }],
  });
  return loadGatewayText(text, { file: 'gateway.yaml', env: {} });
}

t.test('a cache has at most ten million places, because more would fail only at the first token', async (t) => {
  for (const key of ['size', 'negative_size']) {
    const loaded = load({ [key]: MOST });
    t.equal(loaded.ok, true, JSON.stringify(loaded.ok ? '' : loaded.problems));
    t.match(load({ [key]: MOST + 1 }), { ok: false, problems: [{ hint: `at most ${MOST}` }] }, key);
  }
});
