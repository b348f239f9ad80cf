import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { composeLoader, composeSchema, skipWithout } from '../../tools/chart/programs.ts';
import { parseDockerfile } from '../../tools/container/dockerfile.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { serving } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts a database, Redis and both programs: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'config/compose');

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const compose: { readonly services: Record<string, Service>; readonly volumes: object } = parse(
  readFileSync(join(root, 'compose.yaml'), 'utf8'),
  { merge: true },
);
const services = Object.entries(compose.services);

const skipSchema = existsSync(composeSchema) ? false : 'the schema is not installed: npm run chart:tools (needs Go)';

t.test('compose.yaml is valid with the schema of the Compose specification', { skip: skipSchema }, async (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile(JSON.parse(readFileSync(composeSchema, 'utf8')));
  const { 'x-restricted': _, ...own } = compose as unknown as Record<string, unknown>;
  t.ok(validate(own), JSON.stringify(validate.errors));
  t.notOk(validate({ ...own, servces: {} }), 'a wrong key is noticed');
});

/** What Docker Compose's loader reports about a file, in a folder with the files that compose.yaml uses. */
function loaded(t: Test, text: string): { readonly status: number | null; readonly said: string } {
  const directory = t.testdir({ 'compose.yaml': text });
  cpSync(folder, join(directory, 'config/compose'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(composeLoader, [join(directory, 'compose.yaml')], { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

t.test(
  'Docker Compose loads compose.yaml, and would report a mistake',
  { skip: skipWithout(composeLoader) },
  async (t) => {
    const text = readFileSync(join(root, 'compose.yaml'), 'utf8');
    t.strictSame(loaded(t, text), { status: 0, said: `${services.length} services\n` });
    const wrong: readonly (readonly [string, string, RegExp])[] = [
      ['cap_drop:', 'cap_dorp:', /services\.\w+\.cap_dorp false schema/],
      [
        'postgres: { condition: service_healthy }',
        'database: { condition: service_healthy }',
        /undefined service "?database/,
      ],
      ['- database:/var', '- databases:/var', /undefined volume databases/],
      ['interval: 5s', 'interval: soon', /healthcheck\.interval' time: invalid duration "soon"/],
    ];
    for (const [from, to, message] of wrong) {
      t.ok(text.includes(from), from);
      const { status, said } = loaded(t, text.replace(from, to));
      t.equal(status, 1, to);
      t.match(said, message);
    }
  },
);

t.test('an image has a fixed version, and a build is a stage of the Dockerfile', async (t) => {
  const stages = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'), {}).map(({ name }) => name);
  for (const [name, { image, build }] of services) {
    if (build === undefined) t.match(image, /:v?\d[\w.-]*$/, name);
    else t.ok(stages.includes(build.target), name);
  }
});

t.test('only this machine reaches a published port', async (t) => {
  const ports = services.flatMap(([, service]) => service.ports ?? []);
  t.equal(ports.length, 2);
  for (const port of ports) t.match(port, /^127\.0\.0\.1:/);
});

t.test('every volume, service and command file that is named exists', async (t) => {
  for (const [name, { volumes = [], depends_on = {}, command: words = [], entrypoint = [], healthcheck }] of services) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':');
      t.ok(source.startsWith('./') ? existsSync(join(root, source)) : source in compose.volumes, `${name}: ${volume}`);
    }
    for (const other of Object.keys(depends_on)) t.ok(other in compose.services, `${name}: ${other}`);
    for (const word of [...words, ...entrypoint, ...(healthcheck?.test ?? [])]) {
      const file = /^\/gatehouse\/config\/(.+)$/.exec(word)?.[1];
      if (file !== undefined) t.ok(existsSync(join(folder, file)), `${name}: ${word}`);
    }
  }
});

/** The folders of a container: `config` unchanged, `secrets` as its service creates them. */
function containerFolders(t: Test): string {
  const directory = temporaryFolder(t);
  cpSync(folder, join(directory, 'config'), { recursive: true });
  mkdirSync(join(directory, 'secrets'));
  makeSecrets(t, directory);
  return directory;
}

function makeSecrets(t: Test, directory: string): void {
  const args = [join(directory, 'config/secrets.mjs'), join(directory, 'secrets')];
  t.equal(spawnSync(process.execPath, args).status, 0);
}

t.test('each secret is created once, and only its owner may read it', async (t) => {
  const directory = containerFolders(t);
  const contents = () =>
    readdirSync(join(directory, 'secrets')).map((name) => [
      name,
      readFileSync(join(directory, 'secrets', name), 'utf8'),
    ]);
  const first = contents();
  t.equal(first.length, 4);
  for (const [name = ''] of first) t.equal(statSync(join(directory, 'secrets', name)).mode & 0o777, 0o600, name);
  makeSecrets(t, directory);
  t.strictSame(contents(), first);
});

const skip = skipWithoutPostgres || skipWithoutRedis;

t.test(
  'the files of compose.yaml work with a real PostgreSQL and a real Redis, as its first comment says',
  { skip },
  async (t) => {
    const directory = containerFolders(t);
    const [postgres, redis] = [await postgresServer(t), await redisServer(t)];
    const [gateway, service, ...health] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const api = await serving(
      t,
      createServer((request, response) => response.end(`for ${request.headers['x-auth-client']}`)),
    );
    const issuer = `http://localhost:${service}`;
    const own = {
      authorization: {
        GATEHOUSE__LISTEN: `127.0.0.1:${service}`,
        GATEHOUSE__HEALTH: `127.0.0.1:${health[0]}`,
        GATEHOUSE__ISSUER: issuer,
        GATEHOUSE__STORAGE: await postgres.database(),
        GATEHOUSE__COUNTERS: redis.url,
      },
      gateway: {
        GATEHOUSE__LISTEN: `127.0.0.1:${gateway}`,
        GATEHOUSE__HEALTH: `127.0.0.1:${health[1]}`,
        GATEHOUSE__AUTHORIZATION_SERVERS__MAIN__ISSUER: issuer,
        GATEHOUSE__UPSTREAMS__API__URL: api,
        GATEHOUSE__COUNTERS: redis.url,
      },
    };
    for (const [name, env] of Object.entries(own)) {
      const config = join(directory, `config/${name}.yaml`);
      const program = command(t, [name, '--config', config], { env });
      const waited = await command(t, ['health', '--config', config, '--wait', '60s'], { env }).ended();
      t.equal(waited.status, 0, `${name}: ${program.stdout()}${program.stderr()}`);
    }
    const secret = readFileSync(join(directory, 'secrets/shop'), 'utf8');
    const answer = await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`shop:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const orders = `http://127.0.0.1:${gateway}/orders`;
    t.equal((await fetch(orders)).status, 401);
    const passed = await fetch(orders, { headers: { authorization: `Bearer ${token}` } });
    t.strictSame([passed.status, await passed.text()], [200, 'for shop']);
  },
);
