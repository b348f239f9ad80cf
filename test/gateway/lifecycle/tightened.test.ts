import { fileURLToPath } from 'node:url';
import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { tightenedAtRestart } from '../../../src/gateway/lifecycle/tightened.ts';
import { behind, gatewayYaml } from '../../support/gateway.ts';

const vector = (name: string) => fileURLToPath(new URL(`../../vectors/tls/${name}`, import.meta.url));
const files = { cert: vector('server.crt'), key: vector('server.key'), client_ca: vector('server.crt') };

const certificate = { cert: files.cert, key: files.key };
const access = { authorization_server: 'main', client_id: 'console' };

function load(changes: object) {
  const loaded = loadGatewayText(gatewayYaml({ ...behind('http://127.0.0.1:9'), ...changes }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded;
}

const listen = (client_auth: string) => ({
  listen: { host: '127.0.0.1', port: 1, tls: { ...files, client_auth } },
});

t.test('a tightening that needs a restart is reported, and a loosening is not', async (t) => {
  const pairs: readonly [object, object, RegExp][] = [
    [{ ...listen('optional') }, { ...listen('required') }, /client certificates/],
    [{ listen: '127.0.0.1:1' }, { ...listen('required') }, /TLS begins/],
    [{ admin: '0.0.0.0:1' }, { admin: '127.0.0.1:1' }, /`admin` stays on the network/],
    [{ admin: '0.0.0.0:1' }, {}, /`admin` stays on the network/],
    [{ admin: { listen: '127.0.0.1:1' } }, { admin: { listen: '127.0.0.1:1', access } }, /the rules for operators/],
    [{ admin: '127.0.0.1:1' }, { admin: { listen: '127.0.0.1:1', console: false } }, /the console stays/],
    [{ admin: '127.0.0.1:1' }, { admin: { listen: '127.0.0.1:1', tls: certificate } }, /TLS for operators/],
    [{ listen: '0.0.0.0:1' }, { listen: '127.0.0.1:1' }, /`listen` stays on the network/],
  ];
  for (const [loose, tight, message] of pairs) {
    t.match(tightenedAtRestart(load(loose).config, load(tight)), [{ severity: 'error', message }]);
    t.strictSame(tightenedAtRestart(load(tight).config, load(loose)), []);
    t.strictSame(tightenedAtRestart(load(tight).config, load(tight)), []);
  }
});

t.test('another file of authorities is reported, because only a restart reads it', async (t) => {
  const [one, other] = ['authority.crt', 'other-authority.crt'].map((name) => ({
    listen: { host: '127.0.0.1', port: 1, tls: { ...files, client_ca: vector(name), client_auth: 'required' } },
  }));
  const message = /another file of certificate authorities/;
  t.match(tightenedAtRestart(load(one ?? {}).config, load(other ?? {})), [{ severity: 'error', message }]);
});
