import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { json } from '../support/endpoint.ts';
import { freePort } from '../support/free-port.ts';
import { gateway, gatewayYaml } from '../support/gateway.ts';
import { serving } from '../support/serving.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';

/** Starts the program for each command: 32 s beside other tests on a busy machine. */
t.setTimeout(120_000);

const files = {
  gateway: {
    upstreams: { api: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/a' }, access: 'public' }],
  },
  authorization: {
    issuer: 'http://localhost:8081',
    resources: ['https://api.example.com'],
    storage: 'sqlite:data/a.db',
  },
};

for (const [program, config] of Object.entries(files))
  t.test(`health of the ${program}: 0 while it is ready, 1 if nothing answers`, async (t) => {
    const [listen, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const name = `${program}.yaml`;
    const file = join(t.testdir({ [name]: stringify({ version: 1, listen, health, ...config }) }), name);
    const running = command(t, [program, '--config', file]);
    t.ok(await running.prints('"msg"'), running.stderr());
    const ready = await command(t, ['health', '--config', file]).ended();
    t.strictSame([ready.status, ready.stderr], [0, '']);
    t.match(ready.stdout, '"status":"ready"');
    running.process.kill('SIGTERM');
    t.equal((await running.ended()).status, 0);
    const gone = await command(t, ['health', '--config', file]).ended();
    t.strictSame([gone.status, gone.stdout], [1, '']);
    t.match(gone.stderr, `Nothing answers at http://${health}/readyz`);
  });

t.test('health --wait repeats until the program is ready, and stops after the time', async (t) => {
  const [listen, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const file = join(
    t.testdir({ 'gateway.yaml': stringify({ version: 1, listen, health, ...files.gateway }) }),
    'gateway.yaml',
  );
  const waiting = command(t, ['health', '--config', file, '--wait']);
  const early = await command(t, ['health', '--config', file, '--wait', '300ms']).ended();
  t.strictSame([early.status, early.stdout], [1, '']);
  t.match(early.stderr, `Nothing answers at http://${health}/readyz`);
  command(t, ['gateway', '--config', file]);
  const ready = await waiting.ended();
  t.strictSame([ready.status, ready.stderr], [0, '']);
  t.match(ready.stdout, '"status":"ready"');
});

t.test('health --wait fails immediately for an invalid duration, and for a file without a listener', async (t) => {
  const silent = stringify({ version: 1, ...files.gateway });
  const file = join(t.testdir({ 'gateway.yaml': silent }), 'gateway.yaml');
  const odd = await command(t, ['health', '--config', file, '--wait', 'soon']).ended();
  t.equal(odd.status, 2);
  t.match(odd.stderr, /--wait.*Write a whole number and a unit/);
  const none = await command(t, ['health', '--config', file, '--wait']).ended();
  t.equal(none.status, 1);
  t.match(none.stderr, 'has no listener to ask');
});

t.test('health does not wait for an answer that never ends', async (t) => {
  const dripping = createServer((_, response) => {
    const timer = setInterval(() => response.write(' '), 100);
    response.once('close', () => clearInterval(timer));
  });
  const health = new URL(await serving(t, dripping)).host;
  const listen = `127.0.0.1:${await freePort()}`;
  const text = stringify({ version: 1, listen, health, ...files.gateway });
  const file = join(t.testdir({ 'gateway.yaml': text }), 'gateway.yaml');
  const { status, stderr } = await command(t, ['health', '--config', file, '--wait', '1s']).ended();
  t.equal(status, 1);
  t.match(stderr, 'Nothing answers');
});

/** The file of a gateway whose authorization server has another issuer in its metadata, with a slash at the end. */
async function misnamed(t: Test, listeners: object): Promise<object> {
  const url = await serving(
    t,
    createServer((_, response) => json(response, { issuer: `${url}/`, jwks_uri: `${url}/jwks` })),
  );
  const main = { issuer: url, audience: 'https://api.example.com', verify: 'jwt' };
  return { ...files.gateway, development: true, authorization_servers: { main }, ...listeners };
}

const cause =
  /^authorization_servers\.main: metadata of http:.*well-known.* names the issuer "(.*)\/", but "\1" was expected; it differs only by a slash at the end$/;

async function readyz(url: string | undefined): Promise<unknown> {
  return (await fetch(`${url}/readyz`)).json();
}

t.test('/readyz names the last failure only where no stranger can read it', async (t) => {
  const running = await gateway(t, await misnamed(t, { health: '127.0.0.1:0', admin: '127.0.0.1:0' }));
  const failed = () => running.log.some(({ detail }) => /names the issuer/.test(String(detail)));
  t.ok(await until(failed));
  const reason = 'no usable keys or store yet';
  t.match(await readyz(running.healthUrl), { status: 'not ready', reason, cause });
  t.match(await readyz(running.adminUrl), { status: 'not ready', reason, cause });
  const open = await gateway(t, await misnamed(t, { health: '0.0.0.0:0' }));
  t.ok(await until(() => open.log.some(({ detail }) => /names the issuer/.test(String(detail)))));
  const { port } = new URL(String(open.healthUrl));
  t.strictSame(await readyz(`http://127.0.0.1:${port}`), { status: 'not ready', reason });
});

t.test('health names the last failure, and reads it from the admin listener if the other one hides it', async (t) => {
  const [health, admin] = [`0.0.0.0:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const running = await gateway(t, await misnamed(t, { health, admin }));
  t.ok(await until(() => running.log.some(({ detail }) => /names the issuer/.test(String(detail)))));
  const said = async (listeners: object) => {
    const file = join(t.testdir({ 'gateway.yaml': gatewayYaml({ ...files.gateway, ...listeners }) }), 'gateway.yaml');
    return command(t, ['health', '--config', file, '--wait', '200ms']).ended();
  };
  t.match(await said({ health, admin }), { status: 1, stderr: /"cause":"authorization_servers\.main: metadata of / });
  t.match(await said({ health }), { status: 1, stderr: /"reason":"no usable keys or store yet"\}/ });
});

t.test('health asks an `admin` listener with TLS, and accepts only the certificate of the file', async (t) => {
  const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };
  const { adminUrl = '' } = await gateway(t, { ...files.gateway, admin: { listen: '127.0.0.1:0', tls } });
  const listen = `127.0.0.1:${new URL(adminUrl).port}`;
  const asked = (other: object) => {
    const body = gatewayYaml({ ...files.gateway, admin: { listen, tls: other } });
    return command(t, ['health', '--config', join(t.testdir({ 'gateway.yaml': body }), 'gateway.yaml')]).ended();
  };
  t.match(await asked(tls), { status: 0, stdout: /"status":"ready"/ });
  const other = { cert: tlsFile('renewed.crt'), key: tlsFile('renewed.key') };
  t.match(await asked(other), { status: 1, stderr: `Nothing answers at https://${listen}/readyz` });
});
