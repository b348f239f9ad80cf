import { fileURLToPath } from 'node:url';
import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { tightenedAtRestart } from '../../../src/gateway/lifecycle/tightened.ts';
import { behind, gatewayYaml } from '../../support/gateway.ts';
import { hmacServer } from '../../support/tokens.ts';

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
    [{ admin: '0.0.0.0:1' }, { admin: '127.0.0.1:1' }, /`admin` stays reachable/],
    [{ admin: '0.0.0.0:1' }, {}, /`admin` stays reachable/],
    [{ admin: { listen: '127.0.0.1:1' } }, { admin: { listen: '127.0.0.1:1', access } }, /the new rules for operators/],
    [{ admin: '127.0.0.1:1' }, { admin: { listen: '127.0.0.1:1', console: false } }, /the console stays/],
    [{ admin: '127.0.0.1:1' }, { admin: { listen: '127.0.0.1:1', tls: certificate } }, /TLS for operators/],
    [{ listen: '0.0.0.0:1' }, { listen: '127.0.0.1:1' }, /`listen` stays reachable/],
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
  const message = /another path in `client_ca`/;
  t.match(tightenedAtRestart(load(one ?? {}).config, load(other ?? {})), [{ severity: 'error', message }]);
});

t.test('a reload cannot begin to receive reports, and cannot move them, so it says so', async (t) => {
  const poll = { url: 'https://id.example.com/poll' };
  const security_events = { audiences: ['https://gateway.example.com'], poll };
  const polled = { authorization_servers: { main: { ...hmacServer.main, events: 'none', security_events } } };
  const heard = { receiver: { listen: '127.0.0.1:1' } };
  const elsewhere = { counters: 'redis://127.0.0.1:1' };
  const pairs: readonly [object, object, RegExp][] = [
    [{}, polled, /receives reports of logouts .* only after a restart/],
    [{}, heard, /receives reports of logouts .* only after a restart/],
    [polled, { ...polled, ...elsewhere }, /stay in the old `counters`/],
    [{ ...heard, ...elsewhere }, heard, /stay in the old `counters`/],
  ];
  for (const [old, now, message] of pairs)
    t.match(tightenedAtRestart(load(old).config, load(now)), [{ severity: 'error', message }]);
  t.strictSame(tightenedAtRestart(load(polled).config, load({})), []);
  t.strictSame(tightenedAtRestart(load({}).config, load(elsewhere)), []);
});
