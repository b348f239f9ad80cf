import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { request } from 'undici';
import { demoPorts } from '../support/demo-ports.ts';
import { freePort } from '../support/free-port.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { serving } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  basic,
  checksPasswordsInWorkers,
  type Form,
  keepsThePromisesOfTheDemo,
  servesBothFiles,
  status,
  stops,
} from './every-form.ts';
import { emptyRoot, inRoot, skipWithoutRoot } from './in-empty-root.ts';
import { checkout, plainly, type Started, startWith } from './packed.ts';

/** The build needs 10 s on a busy machine, and each test starts programs. */
t.setTimeout(180_000);

const skip = skipWithoutRoot;
const tool = [...plainly, process.execPath, join(checkout, 'tools/single/main.ts')];

function single(...args: readonly string[]): { readonly status: number | null; readonly printed: string } {
  const { status, stdout, stderr } = spawnSync('/usr/bin/env', [...tool, ...args], { encoding: 'utf8' });
  return { status, printed: `${stdout}${stderr}` };
}

const root = skip === false ? emptyRoot(t, process.execPath) : '';

t.test('`npm run single -- FILE` builds one file, and says what it does and what came of it', { skip }, async (t) => {
  const { status, printed } = single(join(root, 'bin/gatehouse'));
  t.equal(status, 0, printed);
  t.match(printed, /^bundling .*\ncompiling\nadding .*\n.*\/bin\/gatehouse: gatehouse \d\S+ \(node v\S+\), \d+ MB\n$/);
  t.ok(statSync(join(root, 'bin/gatehouse')).mode & 0o111, 'it can be executed');
});

t.test('the tool explains itself, and names what it cannot do', async (t) => {
  const help = single('--help');
  t.equal(help.status, 0);
  t.match(help.printed, /^Usage: .*\[FILE\]/);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a-file'), '');
  const failed = single(join(folder, 'a-file/gatehouse'));
  t.equal(failed.status, 1);
  t.match(failed.printed, /^single: .*a-file/m);
  t.notMatch(failed.printed, /^ {4}at /m, 'no stack trace');
});

/** The executable in its root, where it is the only program. */
const form = (t: Test): Form => ({
  folder: root,
  run: (args, { env = {}, input = '' } = {}) =>
    startWith(t, inRoot(root, ['/bin/gatehouse', ...args], env), { cwd: root, input }),
});

async function printed(program: Started): Promise<string> {
  await program.ended();
  return program.output();
}

t.test('without Node.js and packages it prints its help and its version', { skip }, async (t) => {
  const { run } = form(t);
  t.match(await printed(run(['--help'])), /^Usage: gatehouse /);
  t.match(await printed(run(['version'])), /^gatehouse \d+\.\d+\.\d+.* \(node v\d/);
  t.match(await printed(run(['constructor'])), /^error: unknown command 'constructor'/);
});

t.test('without Node.js and packages the demo answers what it promises', { skip }, async (t) => {
  await keepsThePromisesOfTheDemo(t, form(t));
});

t.test('the guide of the demo names the executable in its commands', { skip }, async (t) => {
  const { run } = form(t);
  const demo = run(['demo', ...(await demoPorts())]);
  t.ok(await demo.prints('Ctrl-C'), demo.output());
  const [, args = ''] = /^ {4}\/bin\/gatehouse (explain .*)$/m.exec(demo.output()) ?? [];
  const explained = await printed(run(args.split(' ')));
  t.match(explained, '403', args);
  await stops(t, demo);
});

t.test('it loads a module that NODE_OPTIONS names with --require', { skip }, async (t) => {
  writeFileSync(join(root, 'preload.mjs'), "process.stdout.write('loaded\\n');\n");
  const version = form(t).run(['version'], { env: { NODE_OPTIONS: '--require=/preload.mjs' } });
  t.match(await printed(version), /^loaded\ngatehouse /);
});

t.test('without Node.js and packages both programs serve, and keep tokens in SQLite', { skip }, async (t) => {
  mkdirSync(join(root, 'data'), { recursive: true });
  await servesBothFiles(t, form(t));
});

t.test('it starts its workers, and their thread for passwords, from itself', { skip }, async (t) => {
  await checksPasswordsInWorkers(t, form(t));
});

interface Served {
  readonly gateway: Started;
  readonly url: string;
}

async function served(t: Test, lines: readonly string[]): Promise<Served> {
  const port = await freePort();
  writeFileSync(join(root, 'gateway.yaml'), ['version: 1', `listen: 127.0.0.1:${port}`, ...lines, ''].join('\n'));
  const gateway = form(t).run(['gateway', '--config', 'gateway.yaml']);
  t.ok(await gateway.prints('gateway is listening'), gateway.output());
  return { gateway, url: `http://127.0.0.1:${port}/` };
}

t.test('it has the packages that only some files need: CEL, RE2, HTTP/2, readable logs', { skip }, async (t) => {
  const { url: upstream } = await http2Upstream(t);
  const hash = createHash('sha1').update('right').digest('base64');
  writeFileSync(join(root, 'users-by-sha1'), `bob:{SHA}${hash}\n`, { mode: 0o600 });
  const { gateway, url } = await served(t, [
    'log: { format: pretty }',
    `upstreams: { app: { url: "${upstream}", http2: true } }`,
    'defaults: { upstream: app }',
    'routes:',
    '  - match: { path: "/{rest*}" }',
    '    auth: basic',
    '    basic: { realm: r, users: users-by-sha1 }',
    '    access: authenticated',
    `    when: 'request.path.matches("^/[a-z]+$")'`,
  ]);
  const headers = basic('bob', 'right');
  t.equal(await status(`${url}orders`, { headers }), 200, gateway.output());
  t.equal(await status(`${url}7`, { headers }), 403);
  t.match(gateway.output(), /INFO.*gateway is listening/);
  await stops(t, gateway);
});

t.test('it exits with 3 if it had to cut a request at its end', { skip }, async (t) => {
  const api = createServer();
  const upstream = await serving(t, api);
  const { gateway, url } = await served(t, [
    'shutdown: { deadline: 100ms }',
    `upstreams: { app: { url: "${upstream}" } }`,
    'defaults: { upstream: app }',
    'routes: [{ id: api, match: { path: "/{rest*}" }, access: public }]',
  ]);
  const arrived = once(api, 'request');
  const cut = request(url).catch(() => undefined);
  await arrived;
  gateway.kill('SIGTERM');
  t.equal(await gateway.ended(), 3, gateway.output());
  await cut;
});
