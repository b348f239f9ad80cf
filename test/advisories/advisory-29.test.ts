// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gatewayYaml } from '../support/gateway.ts';
import { connectTo } from '../support/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { audience, hmacServer, issuer, jwt } from '../support/tokens.ts';
import { bench } from './bench.ts';

const unreachable = 'http://127.0.0.1:9';
const server = (changes: object) => ({ authorization_servers: { main: { ...hmacServer.main, ...changes } } });
const introspecting = { issuer, audience, verify: 'introspection', introspection_endpoint: `${unreachable}/i` };

const unresolved: Readonly<Record<string, object>> = {
  'a secret from a variable that is not set': server({ secret: '${NOT_SET}' }),
  'a secret from a variable that is empty': server({ secret: '${EMPTY}' }),
  'a secret whose default is empty': server({ secret: '${NOT_SET:-}' }),
  'a secret from a file that is not there': server({ secret: '${file:not-there}' }),
  'a secret that is too short to be one': server({ secret: 'short' }),
  'no secret where the algorithm needs one': server({ secret: undefined }),
  'a file of keys that is not there': { authorization_servers: { main: { issuer, audience, jwks_file: 'not-there' } } },
  'introspection without a client secret': {
    authorization_servers: { main: { ...introspecting, client_id: 'gateway' } },
  },
  'no authorization server at all': { authorization_servers: {} },
  'a route whose authorization server does not exist': {
    routes: [{ match: { path: '/a' }, scope: 'a', authorization_servers: ['other'] }],
  },
  'a route that says neither access nor scope': { routes: [{ match: { path: '/a' } }] },
};

/** CVE-2026-54762: the authentication's secret was missing, and the route was open. */
for (const [name, changes] of Object.entries(unresolved)) {
  t.test(`advisory 29: the program does not start with ${name}`, async (t) => {
    const text = gatewayYaml(behind(unreachable, changes));
    const loaded = loadGatewayText(text, { file: 'gateway.yaml', env: { EMPTY: '' } });
    t.equal(loaded.ok, false);
  });
}

t.test('advisory 29: a process that lacks its secret ends with an error, and never listens', async (t) => {
  const directory = temporaryFolder(t);
  const [file, port] = [join(directory, 'gateway.yaml'), await freePort()];
  const body = behind(unreachable, { ...server({ secret: '${NOT_SET}' }), listen: `127.0.0.1:${port}` });
  writeFileSync(file, gatewayYaml(body));
  const { status, stderr } = await command(t, ['gateway', '--config', file]).ended();
  t.not(status, 0);
  t.match(stderr, /NOT_SET/);
  await t.rejects(connectTo(port));
});

t.test('advisory 29: a route whose keys are unavailable is 503, whatever the token', async (t) => {
  const servers = { main: { issuer, audience, jwks_uri: `${unreachable}/jwks`, algorithms: ['ES256'], verify: 'jwt' } };
  const { send, upstream } = await bench(t, { authorization_servers: servers });
  const headers = [['Authorization', `Bearer ${await jwt({ scope: 'orders.read' })}`]] as const;
  t.equal((await send({ target: '/orders/1', headers })).status, 503);
  t.equal((await send({ target: '/orders/1' })).status, 401);
  t.equal(upstream.seen.length, 0);
});
