import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { isFullSize } from '../support/long.ts';
import { sendAll } from '../support/many.ts';
import { ask, open } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { rawUpstream } from '../support/raw-upstream.ts';
import { type ReloadableGateway, reloadable } from '../support/reloadable.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { active, authorizationServer } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { assertEcho, echoes, openWebSocket } from '../support/websocket-echo.ts';
import { type Witness, witness } from '../support/witness.ts';

/** Loads many files again: 23 s beside a whole test run. */
t.setTimeout(120_000);

const GOOD = isFullSize ? 100 : 20;
const TOKENS = 20;

/** Two upstreams that answer with their name and the requested path. */
async function twoUpstreams(t: Test): Promise<Record<'A' | 'B', Witness>> {
  const echo = async (letter: string) => {
    const upstream = await witness(t);
    upstream.behave((request, response) => response.end(`${letter} ${request.url}`));
    return upstream;
  };
  return { A: await echo('A'), B: await echo('B') };
}

/** A file whose every part has the same letter, so that an answer from two files shows both. */
function letterFile(letter: 'A' | 'B', upstreams: Record<'A' | 'B', Witness>, servers: object): object {
  const rewrite = { add_prefix: `/${letter}` };
  return {
    authorization_servers: servers,
    upstreams: { [`api-${letter}`]: { url: upstreams[letter].url } },
    defaults: { upstream: `api-${letter}` },
    request_id: { header: `X-Id-${letter}` },
    realm: letter,
    routes: [
      { id: 'public', match: { path: '/public/{rest*}' }, access: 'public', rewrite },
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read', rewrite },
      { id: `only-${letter}`, match: { path: `/only/${letter}` }, access: 'public', rewrite },
      { id: 'admin', match: { path: '/admin' }, scope: `admin.${letter}`, rewrite },
    ],
  };
}

const targets = ['/public/x', '/orders/7', '/only/A', '/only/B', '/admin', '/nowhere'];

/** The answers with file `letter`, to compare with the real ones. */
function expected(letter: 'A' | 'B', target: string): string {
  const id = `x-id-${letter.toLowerCase()}`;
  if (target === '/nowhere' || (target.startsWith('/only/') && !target.endsWith(letter))) return `404 ${id}`;
  if (target === '/admin') return `403 ${id} Bearer realm="${letter}", scope="admin.${letter}"`;
  return `200 ${id} ${letter} /${letter}${target}`;
}

function told(response: RawResponse | undefined): string {
  if (response === undefined) return 'no answer';
  const ids = response.headers.map(([name]) => name.toLowerCase()).filter((name) => name.startsWith('x-id-'));
  const challenge = response.header('www-authenticate')?.replace(/, error(_description)?="[^"]*"/g, '');
  const rest = response.status === 200 ? response.body.toString() : challenge;
  return [response.status, ids.join('+'), ...(rest === undefined ? [] : [rest])].join(' ');
}

interface Tally {
  sent: number;
  readonly wrong: string[];
  stop(): Promise<void>;
}

/** Requests without a pause over several connections. Each answer is compared with the answer of one of the letters. */
function load(port: number, token: (index: number) => string, letters: readonly ('A' | 'B')[]): Tally {
  let going = true;
  function* items() {
    for (let index = 0; going; index++) yield index;
  }
  const targetOf = (index: number) => targets[index % targets.length] as string;
  const tally = { sent: 0, wrong: [] as string[], stop: async () => {} };
  const done = sendAll({
    port,
    items: items(),
    connections: 8,
    bytes: (index) =>
      requestText({
        target: targetOf(index),
        headers: /^.(orders|admin)/.test(targetOf(index)) ? [bearer(token(index))] : [],
      }),
    onAnswer: (index, response) => {
      tally.sent++;
      const answer = told(response);
      if (!letters.some((letter) => expected(letter, targetOf(index)) === answer)) tally.wrong.push(answer);
    },
  });
  tally.stop = async () => {
    going = false;
    await done;
  };
  return tally;
}

async function prepared(t: Test) {
  const server = await authorizationServer(t, { changes: { verify: 'introspection' } });
  const tokens = Array.from({ length: TOKENS }, (_, index) => `token-${index}`);
  for (const token of tokens) server.tokens.set(token, active('orders.read'));
  const upstreams = await twoUpstreams(t);
  const file = (letter: 'A' | 'B') => letterFile(letter, upstreams, server.config);
  const gateway = await reloadable(t, file('A'));
  return { server, file, gateway, token: (index: number) => tokens[index % TOKENS] as string };
}

t.test('good reloads under load fail no request, and no answer mixes two files', async (t) => {
  const { server, file, gateway, token } = await prepared(t);
  const running = load(gateway.port, token, ['A', 'B']);
  for (let round = 0; round < GOOD; round++) {
    t.equal((await gateway.take(file(round % 2 === 0 ? 'B' : 'A'))).ok, true);
    const before = running.sent;
    await until(() => running.sent > before + 30);
  }
  await running.stop();
  t.strictSame(running.wrong, []);
  t.ok(running.sent >= GOOD * 30, `${running.sent} requests`);
  t.ok(server.introspection.calls.length <= TOKENS, `${server.introspection.calls.length} introspections`);
  t.equal(await gateway.metric('gatehouse_config_reloads_total{result="success"}'), GOOD);
});

const bad: Readonly<Record<string, (gateway: ReloadableGateway, good: string) => Promise<{ readonly ok: boolean }>>> = {
  'an empty file': (gateway) => gateway.takeText(''),
  'a comment and nothing else': (gateway) => gateway.takeText('# soon\n'),
  'half of a good file': (gateway, good) => gateway.takeText(good.slice(0, good.length / 2)),
  'a third of a good file': (gateway, good) => gateway.takeText(good.slice(0, good.length / 3)),
  'bytes that are no text': (gateway) => gateway.takeText(Buffer.from([0xff, 0xfe, 0x00, 0x01])),
  'HTML of a broken download': (gateway) => gateway.takeText('<html><body>404</body></html>'),
  'an open quote': (gateway, good) => gateway.takeText(`${good}\nrealm: "api`),
  'a tab': (gateway, good) => gateway.takeText(`${good}\nlimits:\n\tbody: 1MiB\n`),
  'two documents': (gateway, good) => gateway.takeText(`${good}\n---\n${good}`),
  'a key twice': (gateway, good) => gateway.takeText(`${good}\nversion: 1\n`),
  'an alias of nothing': (gateway, good) => gateway.takeText(`${good}\ncors: *none\n`),
  'a YAML tag': (gateway, good) => gateway.takeText(`${good}\ncors: !!js/function x\n`),
  'a list': (gateway) => gateway.takeText('- version: 1\n'),
  'an unknown key': (gateway, good) => gateway.takeText(`${good}\nlisten_on: 8080\n`),
  'another version': (gateway, good) => gateway.takeText(good.replace('version: 1', 'version: 2')),
  'a duration without a unit': (gateway, good) => gateway.takeText(`${good}\nshutdown: { deadline: 30 }\n`),
  'a size in another unit': (gateway, good) => gateway.takeText(`${good}\nlimits: { body: 1MB }\n`),
  'a word for a boolean': (gateway, good) => gateway.takeText(`${good}\ndevelopment: yes\n`),
  'an unset variable': (gateway, good) => gateway.takeText(`${good}\nresource: \${GATEHOUSE_TEST_UNSET}\n`),
  'a missing secret file': (gateway, good) => gateway.takeText(`${good}\nresource: \${file:absent.txt}\n`),
  'a bad CIDR': (gateway, good) => gateway.takeText(`${good}\ntrusted_proxies: [10.0.0.0/99]\n`),
  'a test that fails': (gateway, good) =>
    gateway.takeText(`${good}\ntests: [{ request: GET /nowhere, expect: { forward: true } }]\n`),
  'a bad mode': (gateway, good) => gateway.takeText(`${good}\nmode: off\n`),
  'no routes': (gateway, good) => gateway.takeText(good.replace(/routes:[\s\S]*/, 'routes: []\n')),
  'the same route twice': (gateway, good) => gateway.takeText(good.replace('/only/A', '/admin')),
  'an unknown upstream': (gateway, good) => gateway.takeText(good.replace(/upstream: api-\w/, 'upstream: gone')),
  'an upstream of no protocol': (gateway, good) => gateway.takeText(good.replace('url: http://', 'url: ftp://')),
  'a missing key file': (gateway, good) => gateway.takeText(good.replace(/jwks_uri: .*/, 'jwks_file: absent.json')),
  'two places for keys': (gateway, good) =>
    gateway.takeText(good.replace(/(\s+)jwks_uri: .*/, '$&$1jwks_file: absent.json')),
  'a link to nowhere': (gateway) => linkTo(gateway, 'absent.yaml'),
  'a link to a directory': (gateway) => linkTo(gateway, '.'),
};

/** As Kubernetes swaps the link of a ConfigMap: by renaming another one over it. */
async function linkTo(gateway: ReloadableGateway, target: string): Promise<{ readonly ok: boolean }> {
  const link = join(gateway.directory, 'next');
  symlinkSync(target, link);
  renameSync(link, join(gateway.directory, 'gateway.yaml'));
  const result = await gateway.reload();
  // For the next cases, the name is a file again.
  renameSync(join(gateway.directory, 'good.yaml'), join(gateway.directory, 'gateway.yaml'));
  return result;
}

t.test(
  'invalid reloads under load change nothing, each is logged with its place, and the metric counts it',
  async (t) => {
    const { server, file, gateway, token } = await prepared(t);
    const { stringify } = await import('yaml');
    const good = stringify({ version: 1, listen: '127.0.0.1:0', admin: '127.0.0.1:0', ...file('A') }, { lineWidth: 0 });
    const running = load(gateway.port, token, ['A']);
    for (const [name, take] of Object.entries(bad)) {
      writeFileSync(join(gateway.directory, 'good.yaml'), good);
      t.equal((await take(gateway, good)).ok, false, name);
      const refused = gateway.log.findLast(({ problems }) => problems !== undefined);
      t.match([refused?.problems].flat()[0], /^.*gateway\.yaml:\d+:\d+: ./, name);
      t.equal(await gateway.metric('gatehouse_config_last_reload_successful'), 0);
      const before = running.sent;
      await until(() => running.sent > before + 20);
    }
    t.equal((await gateway.takeText(good)).ok, true);
    await running.stop();
    t.strictSame(running.wrong, []);
    t.ok(server.introspection.calls.length <= TOKENS, `${server.introspection.calls.length} introspections`);
    t.equal(Object.keys(bad).length, 31);
    t.equal(await gateway.metric('gatehouse_config_reloads_total{result="failure"}'), 31);
    t.equal(await gateway.metric('gatehouse_config_last_reload_successful'), 1);
  },
);

t.test('POST /reload reports what changed, or everything that is wrong', async (t) => {
  const { file, gateway } = await prepared(t);
  writeFileSync(join(gateway.directory, 'gateway.yaml'), 'version: 1\nroutes: 5\nlimits: { body: 1MB }\n');
  const refused = await fetch(`${gateway.adminUrl}/reload`, { method: 'POST' });
  t.equal(refused.status, 422);
  const { problems } = (await refused.json()) as { problems: { line: number; message: string }[] };
  t.strictSame(
    problems.map(({ line }) => line),
    [2, 3],
  );
  const { stringify } = await import('yaml');
  const next = stringify({ version: 1, listen: '127.0.0.1:0', admin: '127.0.0.1:0', ...file('B') });
  writeFileSync(join(gateway.directory, 'gateway.yaml'), next);
  const taken = await fetch(`${gateway.adminUrl}/reload`, { method: 'POST' });
  t.equal(taken.status, 200);
  t.match(await taken.json(), {
    routes: { added: ['only-B'], removed: ['only-A'], changed: ['public', 'orders', 'admin'] },
    restart: [],
    warnings: [],
  });
  const ids = ((await (await fetch(`${gateway.adminUrl}/routes`)).json()) as { id: string }[]).map(({ id }) => id);
  t.ok(ids.includes('only-B') && !ids.includes('only-A'));
});

t.test('a changed address waits for a restart, and the rest of the file does not', async (t) => {
  const { file, gateway } = await prepared(t);
  const result = await gateway.take({ ...file('B'), listen: '127.0.0.1:1', log: { level: 'warn' } });
  t.match(result, { ok: true, restart: ['listen', 'log'] });
  t.ok(gateway.log.some(({ level, key }) => level === 40 && key === 'listen'));
  t.equal(told(await ask(gateway.port, requestText({ target: '/public/x' }))), expected('B', '/public/x'));
});

t.test(
  'a change that restricts access and needs a restart is an error, and nothing of its file is applied',
  async (t) => {
    const { file, gateway } = await prepared(t);
    const vector = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
    const tls = { cert: vector('server.crt'), key: vector('server.key') };
    const result = await gateway.take({ ...file('B'), listen: { host: '127.0.0.1', port: 0, tls } });
    t.match(result, {
      ok: false,
      problems: [{ message: /TLS begins only with a restart/, hint: /restart the gateway/ }],
    });
    t.equal(await gateway.metric('gatehouse_config_last_reload_successful'), 0);
    t.ok(gateway.log.some(({ level, msg }) => level === 50 && /rejected/.test(String(msg))));
    t.equal(told(await ask(gateway.port, requestText({ target: '/public/x' }))), expected('A', '/public/x'));
  },
);

t.test('a reload changes the limits for later requests', async (t) => {
  const { file, gateway } = await prepared(t);
  const long = requestText({ target: '/public/x', headers: [['X-Long', 'x'.repeat(2000)]] });
  t.equal((await ask(gateway.port, long)).status, 200);
  await gateway.take({ ...file('A'), limits: { header_size: '1KiB', header_count: 3 } });
  t.equal((await ask(gateway.port, long)).status, 431);
  const many = requestText({
    target: '/public/x',
    headers: ['a', 'b', 'c'].map((name) => [`X-${name}`, '1'] as const),
  });
  t.equal((await ask(gateway.port, many)).status, 431);
});

t.test('a request that began before a reload ends with the file that it began with', async (t) => {
  const { file, gateway } = await prepared(t);
  const upstream = await witness(t);
  let answer = () => {};
  upstream.behave((_request, response) => {
    response.write('begun ');
    answer = () => response.end('and ended');
  });
  await gateway.take({ ...file('A'), upstreams: { 'api-A': { url: upstream.url } } });
  const client = await open(t, gateway.port);
  client.send(requestText({ target: '/public/slow' }));
  t.ok(await until(() => client.unread.includes('begun')));
  await gateway.take(file('B'));
  await gateway.take(file('A'));
  t.equal(told(await ask(gateway.port, requestText({ target: '/public/x' }))), expected('A', '/public/x'));
  await pause(50);
  t.equal(upstream.connections.size, 1, 'its connections are not closed under it');
  answer();
  t.equal((await client.read())?.body.toString(), 'begun and ended');
  t.ok(await until(() => upstream.connections.size === 0), 'and with the last request they are');
});

t.test('a WebSocket that began before a reload continues, and keeps its generation', async (t) => {
  const { file, gateway } = await prepared(t);
  const upstream = await rawUpstream(t, echoes);
  await gateway.take({ ...file('A'), upstreams: { 'api-A': { url: upstream.url } } });
  const client = await open(t, gateway.port);
  await openWebSocket(t, client);
  const ended = () => gateway.log.filter(({ msg }) => msg === 'the previous generation has ended').length;
  const before = ended();
  await gateway.take(file('B'));
  await assertEcho(t, client);
  t.equal(ended(), before);
  client.destroy();
  t.ok(await until(() => ended() === before + 1));
});

t.test(
  'an authorization server whose block changed is asked again; one that did not keeps its cached answers',
  async (t) => {
    const { server, file, gateway, token } = await prepared(t);
    const request = requestText({ target: '/orders/7', headers: [bearer(token(0))] });
    t.equal((await ask(gateway.port, request)).status, 200);
    await gateway.take(file('B'));
    t.equal((await ask(gateway.port, request)).status, 200);
    t.equal(server.introspection.calls.length, 1);
    const main = { ...server.config.main, cache: { ttl: '1s' } };
    await gateway.take({ ...file('B'), authorization_servers: { main } });
    t.equal((await ask(gateway.port, request)).status, 200);
    t.equal(server.introspection.calls.length, 2);
  },
);

t.test('keys of a new server are loaded before the first request with the new file', async (t) => {
  const { gateway, file } = await prepared(t);
  const other = await authorizationServer(t);
  await gateway.take({ ...file('A'), authorization_servers: other.config });
  t.equal(other.keys.calls.length, 1);
  await gateway.take({ ...file('B'), authorization_servers: other.config });
  t.equal(other.keys.calls.length, 1, 'and are handed over');
});
