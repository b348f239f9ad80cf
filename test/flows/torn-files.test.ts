import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { WatchedFiles } from '../../src/base/watch-files.ts';
import { loadGatewayConfig } from '../../src/config/load/load.ts';
import { type CompiledFile, compileFile, type TokenOfIssuer } from '../../src/gateway/diff/compiled-file.ts';
import { openings } from '../../src/gateway/diff/openings.ts';
import { type Random, random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { replaceIn, servedFile, writeIn } from '../support/served-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hmacServer, issuer as ISSUER } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Thousands of torn files: 17 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const MUTATIONS = 2_000;
const SEED = 25;

const rules = (upstream: string) => `trusted_proxies: [10.0.0.0/8]
authorization_servers: ${JSON.stringify(hmacServer)}
upstreams:
  api: { url: "${upstream}" }
defaults: { upstream: api }
routes:
  - id: everything
    match: { path: "/{rest*}" }
    access: public
  - id: admin
    match: { path: "/admin/{rest*}" }
    scope: admin
  - id: orders-write
    match:
      path: /orders/{order}
      methods:
        - POST
        - PUT
    scope: orders.write
  - id: orders
    match: { path: "/orders/{rest*}" }
    scope:
      any_of:
        - orders orders.read
        - admin
  - id: mine
    match: { path: "/mine/{user}" }
    access: authenticated
    claims:
      sub: { equals: path.user }
      role: { equals: owner }
  - id: business
    match: { path: "/business/{rest*}" }
    access: authenticated
    when: |
      request.method == "GET" &&
      identity.claims.level == "7"
  - id: limited
    match: { path: "/limited" }
    access: authenticated
    rate_limit: { by: sub, requests: 1, per: 1h }
  - id: last
    match: { path: "/last/{rest*}" }
    scope: last.one
`;
const whole = `version: 1\nlisten: 127.0.0.1:8080\n${rules('http://127.0.0.1:9')}`;
/** The same rules in another order: the text that is written over the first one byte for byte, and not to its end. */
const other = whole
  .replace(/ {2}- id: admin[\s\S]*?(?= {2}- id: mine)/, '')
  .concat(/ {2}- id: admin[\s\S]*?(?= {2}- id: mine)/.exec(whole)?.[0] ?? '');

type Tear = (text: string, numbers: Random) => string;

const tears: readonly Tear[] = [
  (text, { below }) => text.slice(0, below(text.length)),
  (text, { below }) => {
    const lines = text.split('\n');
    return `${lines.slice(0, below(lines.length)).join('\n')}\n`;
  },
  (text, { below }) => {
    const at = below(text.length);
    return other.slice(0, at) + text.slice(at);
  },
  (text, { below }) => {
    const at = below(text.length);
    return text.slice(0, at) + text.slice(at + below(200));
  },
  (text, { below }) => {
    const at = below(text.length);
    return text.slice(0, at) + text.slice(Math.max(0, at - below(80)));
  },
];

const targets = ['/', '/x', '/admin/x', '/admin', '/orders/7', '/mine/bo', '/business/1', '/limited', '/last/1'];
const scopes = ['', 'admin', 'orders', 'orders.read', 'orders orders.read', 'orders.write', 'last', 'last.one', 'ord'];
const tokens: readonly (TokenOfIssuer | undefined)[] = [
  undefined,
  ...scopes.map((scope) => ({ issuer: ISSUER, scope, aud: ['https://api.example.com'], claims: { sub: 'al' } })),
  { issuer: ISSUER, scope: '', aud: ['https://api.example.com'], claims: { sub: 'bo', role: 'owner' } },
];

/** Every request of every caller, and whether it is forwarded. */
async function lets(side: CompiledFile): Promise<readonly boolean[]> {
  const found: boolean[] = [];
  for (const target of targets)
    for (const method of ['GET', 'POST', 'DELETE'])
      for (const token of tokens)
        found.push((await side.ask({ method, host: 'localhost', target }, token)).outcome.kind === 'forward');
  return found;
}

t.test('no torn file that the watcher accepts is more open than the complete one', async (t) => {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gateway.yaml');
  const load = (text: string) => {
    writeFileSync(file, text);
    return loadGatewayConfig(file, {});
  };
  const before = load(whole);
  if (!before.ok) throw new Error(JSON.stringify(before.problems));
  const allowed = await lets(compileFile(before));
  const condition = (routes: typeof before.config.routes) => routes.find(({ id }) => id === 'business')?.when;
  const numbers = random(SEED);
  const counts = { refused: 0, waiting: 0, taken: 0 };
  for (let index = 0; index < MUTATIONS; index++) {
    const text = numbers.pick(tears)(whole, numbers);
    const torn = load(text);
    if (!torn.ok) {
      counts.refused++;
      continue;
    }
    const { opened, doubtful } = await openings(before, torn);
    if (opened.length + doubtful.length > 0) {
      counts.waiting++;
      continue;
    }
    counts.taken++;
    const now = await lets(compileFile(torn));
    const isOpener = now.some((passes, place) => passes && allowed[place] === false);
    const when = condition(torn.config.routes);
    const isLooser = when !== condition(before.config.routes) && torn.config.routes.some(({ id }) => id === 'business');
    if (isOpener || isLooser) return t.fail(`seed ${SEED}, ${index}`, { text });
  }
  t.comment(JSON.stringify(counts));
  t.ok(counts.refused > 300 && counts.waiting > 100 && counts.taken > 20, JSON.stringify(counts));
});

t.test('a file without a line break at its end is rejected, wherever in a line it was cut', async (t) => {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gateway.yaml');
  for (let at = whole.length - 300; at < whole.length; at++) {
    if (whole[at - 1] === '\n') continue;
    writeFileSync(file, whole.slice(0, at));
    const loaded = loadGatewayConfig(file, {});
    t.ok(!loaded.ok && loaded.problems.some(({ message }) => /does not end with a line break/.test(message)), `${at}`);
  }
  writeFileSync(file, JSON.stringify({ version: 1, routes: [] }));
  const json = loadGatewayConfig(file, {});
  t.notOk(!json.ok && json.problems.some(({ message }) => /line break/.test(message)), 'braces say where a file ends');
});

t.test('a file counts as written in place until another inode replaces it, or it becomes active', async (t) => {
  const directory = temporaryFolder(t);
  const at = (name: string) => join(directory, name);
  for (const name of ['one', 'other']) writeFileSync(at(name), 'a');
  symlinkSync('one', at('link'));
  const files = new WatchedFiles();
  const look = () => {
    files.clear();
    files.add(at('link'));
    return files.written().length;
  };
  t.equal(look(), 0);
  writeFileSync(at('one'), 'longer');
  t.equal(look(), 1);
  t.equal(look(), 1, 'until it is in force');
  symlinkSync('other', at('new'));
  renameSync(at('new'), at('link'));
  t.equal(look(), 0, 'a swapped link is a whole file');
  writeFileSync(at('other'), 'longer');
  t.equal(look(), 1, 'and is written in place again');
  files.settle();
  t.equal(look(), 0);
  rmSync(at('other'));
  look();
  writeFileSync(at('other'), 'b');
  t.equal(look(), 1, 'one that comes back may not be whole');
});

const status = async (port: number, target: string) => (await ask(port, requestText({ target }))).status;

for (const workers of [1, 2]) {
  t.test(
    `a change that widens access waits if a file was written in place, and is named at a manual reload: ${workers}`,
    async (t) => {
      const { url } = await witness(t);
      let head = '';
      const served = await servedFile(t, (directory, listeners) => {
        head = `${listeners}workers: ${workers}\n`;
        writeIn(directory, 'gateway.yaml', head + rules(url));
      });
      const full = head + rules(url);
      const cut = full.slice(0, full.indexOf('  - id: admin'));
      const metric = async (name: string) => {
        const text = await (await fetch(`${served.adminUrl}/metrics`)).text();
        return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
      };
      const reload = async () => {
        const answer = await fetch(`${served.adminUrl}/reload`, { method: 'POST' });
        return { status: answer.status, body: (await answer.json()) as { opened: string[] } };
      };
      t.equal(await status(served.port, '/admin/x'), 401);

      writeIn(served.directory, 'gateway.yaml', cut);
      t.ok(await until(() => served.said('the configuration waits') === 1));
      t.equal(await status(served.port, '/admin/x'), 401);
      t.equal(await metric('gatehouse_config_reload_waiting'), 1);
      t.equal(await metric('gatehouse_config_last_reload_successful'), 0);
      t.match(await (await fetch(`${served.adminUrl}/readyz`)).json(), { status: 'ready', remark: /waits/ });

      writeIn(served.directory, 'gateway.yaml', full);
      t.ok(await until(() => served.said('the configuration is reloaded') === 1), 'the whole file is taken by itself');
      t.equal(await metric('gatehouse_config_reload_waiting'), 0);

      writeIn(served.directory, 'gateway.yaml', full.slice(0, full.indexOf('/last/') - 3));
      t.match(await reload(), { status: 422, body: { problems: [{ message: /does not end with a line break/ }] } });
      t.equal(await status(served.port, '/admin/x'), 401);

      writeIn(served.directory, 'gateway.yaml', cut);
      const asked = await reload();
      t.equal(asked.status, 200);
      t.match(asked.body.opened.join('\n'), /\/admin\/\{\*\} .*was refused with 401.*now forwarded/);
      t.equal(await status(served.port, '/admin/x'), 200);

      replaceIn(served.directory, 'gateway.yaml', full);
      t.ok(await until(async () => (await status(served.port, '/admin/x')) === 401));
      replaceIn(served.directory, 'gateway.yaml', cut);
      t.ok(
        await until(async () => (await status(served.port, '/admin/x')) === 200),
        'what was replaced whole is taken',
      );
      // The primary writes the line after its workers have taken the file.
      t.ok(await until(() => served.said('the new configuration allows more access') >= 2), 'and told');
    },
  );
}
