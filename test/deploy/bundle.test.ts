import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t, { type Test } from 'tap';
import { request } from 'undici';
import { bundle } from '../../tools/bundle.ts';
import { freePort } from '../support/free-port.ts';
import { checksPasswordsInWorkers, type Form, keepsThePromisesOfTheDemo, status } from './every-form.ts';
import { checkout, type Installed, start } from './packed.ts';

/** Builds the bundle, and starts seven programs in turn: 9 s, and 32 s beside three other files. */
t.setTimeout(120_000);

const here = beside(t);
const { outputs } = await bundle(join(here.root, 'dist'));

/** Inside the checkout, so that a bundle finds packages where they are installed. */
function beside(t: Test): Installed {
  const cache = join(checkout, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const root = mkdtempSync(join(cache, 'bundle-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['bin', 'config', 'package.json'])
    cpSync(join(checkout, name), join(root, name), { recursive: true });
  return { folder: root, root };
}

/** Prints each loaded file on stderr, and at the end the loaded modules of Node.js. */
const telling = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({ load(url, context, next) { writeSync(2, 'loads ' + url + '\\n'); return next(url, context); } });
  process.on('exit', () => writeSync(2, process.moduleLoadList.join('\\n') + '\\n'));
`)}`;

/** The sources and packages in the listed files. */
function sourcesOf(output: string): string[] {
  return [...output.matchAll(/^loads file:\/\/(.*)$/gm)].flatMap(([, file = '']) => {
    const held = outputs[relative(checkout, file)];
    return held === undefined ? [relative(here.root, file)] : Object.keys(held.inputs);
  });
}

interface Ports {
  readonly port: number;
  readonly health: number;
}

async function gatewayYaml(more: string, upstream = 'http://127.0.0.1:9'): Promise<Ports & { readonly file: string }> {
  const [port, health] = [await freePort(), await freePort()];
  const file = join(here.folder, `gateway-${port}.yaml`);
  const lines = [
    'version: 1',
    `listen: 127.0.0.1:${port}`,
    `health: 127.0.0.1:${health}`,
    `upstreams: { app: { url: "${upstream}", engine: own } }`,
    more,
  ];
  writeFileSync(file, lines.join('\n'));
  return { port, health, file };
}

const jwts = `
authorization_servers:
  main: { issuer: "https://auth.example.com", audience: api, algorithms: [ES256], jwks_file: keys.json, events: none }
defaults: { upstream: app }
routes: [{ id: api, match: { path: "/api/{rest*}" }, scope: orders.read }]
`;

t.test('a sidecar that is ready has loaded nothing that it does not use', async (t) => {
  writeFileSync(join(here.folder, 'keys.json'), '{ "keys": [] }');
  const { port, health, file } = await gatewayYaml(jwts);
  const sidecar = start(t, here, ['gateway', '--config', file], { flags: ['--import', telling] });
  t.ok(await sidecar.prints('gateway is listening'), sidecar.output());
  t.equal(await status(`http://127.0.0.1:${health}/livez`), 200);
  t.equal(await status(`http://127.0.0.1:${port}/api/orders`), 401);
  const sources = sourcesOf(sidecar.output());
  t.ok(sources.includes('src/gateway/listener/server.ts'), 'what it uses is seen');
  const unused =
    /^src\/(authorization|demo|commands\/doctor)\/|node_modules\/(ajv|ajv-formats|@fastify\/(ajv-compiler|fast-json-stringify-compiler|http-proxy|reply-from)|pino-pretty|pg|ioredis|bcryptjs|light-my-request|re2js|@grpc|protobufjs|@marcbachmann\/cel-js)\//;
  t.strictSame(
    sources.filter((source) => unused.test(source)),
    [],
  );
  t.strictSame(
    sources.filter((source) => source.startsWith('..')),
    [],
    'nothing outside of the bundle',
  );
  sidecar.kill('SIGTERM');
  t.equal(await sidecar.ended(), 0, sidecar.output());
  t.match(sidecar.output(), /^NativeModule http$/m);
  t.notMatch(sidecar.output(), /^NativeModule internal\/deps\/undici/m, 'fetch, which Node.js has too');
});

const patterned = `
defaults: { upstream: app }
authorization_servers: { main: { issuer: "https://auth.example.com", audience: api, jwks_file: keys.json, events: none } }
routes: [{ id: api, match: { path: "/api/{rest*}" }, access: authenticated, when: 'request.path.matches("^/api/[a-z]+$")' }]
`;

t.test('the packages for a `when` are found where they are installed', async (t) => {
  writeFileSync(join(here.folder, 'keys.json'), '{ "keys": [] }');
  const { file } = await gatewayYaml(patterned);
  const sidecar = start(t, here, ['gateway', '--config', file], { flags: ['--import', telling] });
  t.ok(await sidecar.prints('gateway is listening'), sidecar.output());
  t.ok(/node_modules\/re2js\//.test(sidecar.output()), 'and only here it is loaded');
  sidecar.kill('SIGTERM');
  t.equal(await sidecar.ended(), 0, sidecar.output());
});

const form = (t: Test): Form => ({ folder: here.folder, run: (args, options) => start(t, here, args, options) });

t.test('what is started by its path is found: workers, and the thread of passwords', async (t) => {
  await checksPasswordsInWorkers(t, form(t));
});

t.test('the demo finds its page', async (t) => {
  await keepsThePromisesOfTheDemo(t, form(t));
});

const { default: parts } = await import(new URL('../../tools/undici-parts.cjs', import.meta.url).href);

/** What undici's own function requests from a dispatcher. */
t.test("`request` of our parts of undici behaves like undici's own", async (t) => {
  const calls: [string, object][] = [
    ['https://a.example/b?c=d', {}],
    ['https://a.example:8443', { method: 'POST', body: 'x', headers: { accept: 'application/json' } }],
    ['http://[::1]:1/', { body: 'x', headersTimeout: 0 }],
    ['http://a.example/%7e/../b', { method: 'GET', body: null, signal: new AbortController().signal }],
  ];
  for (const [url, options] of calls) {
    const asked: object[] = [];
    const dispatcher = { dispatch: (wanted: object) => asked.push(wanted) > 0 };
    for (const ask of [request, parts.request]) void ask(url, { ...options, dispatcher } as never);
    const [theirs, ours] = asked;
    t.ok(theirs, url);
    t.strictSame(ours, theirs, url);
  }
});

t.test('our parts of undici have every name that a source imports', async (t) => {
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const names = sources
    .flatMap((source) => [...source.matchAll(/^import \{([^}]+)\} from 'undici';$/gm)])
    .flatMap(([, list = '']) => list.split(',').map((name) => name.trim()))
    .filter((name) => !name.startsWith('type '));
  t.ok(names.includes('Agent'));
  t.strictSame(
    [...new Set(names)].filter((name) => !(name in parts)),
    [],
  );
});

/** Imported by its path, like the parts do, in a process where undici's index has not run. */
t.test('a dispatcher of our parts has every method that undici gives its own', async (t) => {
  const program = `
    const parts = require('./tools/undici-parts.cjs');
    const kinds = ['Agent', 'Client', 'Pool'].map((name) => [name, new parts[name](name === 'Agent' ? {} : 'http://127.0.0.1:9')]);
    const methods = Object.keys(require('undici/lib/api/index.js'));
    const missing = kinds.flatMap(([name, each]) => methods.filter((method) => each[method] === undefined));
    console.log(JSON.stringify({ methods, missing }));`;
  const { stdout } = spawnSync(process.execPath, ['--eval', program], { cwd: checkout, encoding: 'utf8' });
  const { methods, missing } = JSON.parse(stdout);
  t.ok(methods.includes('request'));
  t.strictSame(missing, []);
});

/** A CommonJS package does not know about modules. */
function isCommonJs(name: string): boolean {
  const { type, exports } = JSON.parse(readFileSync(join(checkout, 'node_modules', name, 'package.json'), 'utf8'));
  return type !== 'module' && exports === undefined;
}

t.test('a CommonJS package that loads later is read by `default`, the only name that it has in a bundle', async (t) => {
  const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const loaded = sources.flatMap((source) => [...source.matchAll(/await import\('([^.'][^':]*)'\)\)?(\.\w+)?/g)]);
  const later = loaded.filter(([, name = '']) => isCommonJs(name));
  t.strictSame(
    later.map(([, name, read]) => `${name}${read}`),
    ['ioredis.default'],
  );
});

t.test('an error has the same text in the bundle and in the sources', async (t) => {
  const { file } = await gatewayYaml('rotues: []\nroutes: []\n');
  const checked = start(t, here, ['check', file]);
  t.equal(await checked.ended(), 1);
  t.match(checked.output(), /unknown key `rotues`.*did you mean `routes`/s);
});
