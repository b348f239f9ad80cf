// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import t from 'tap';
import { command } from '../support/command.ts';
import { written } from './rules.ts';

const secret = 'x'.repeat(40);
written('key.txt', `${secret}\n`);
const file = written(
  'show.yaml',
  `version: 1
listen: \${ADDRESS:-127.0.0.1:1234}
authorization_servers:
  main:
    { issuer: "https://auth.example.com", client_id: gateway, client_secret: "\${GATEWAY_SECRET:-fallback-word-of-the-file}" }
  pushes:
    issuer: https://pushes.example.com
    security_events: { audiences: [a], push: { authorization: Bearer push-word }, poll: { url: "https://a.example", authorization: "\${POLLS}" } }
receiver: { listen: 127.0.0.1:1235 }
upstreams:
  api: { url: "http://127.0.0.1:9", credentials: { header: { name: X-Key, value: "\${file:key.txt}" } } }
  old: { url: "http://127.0.0.1:9", credentials: { digest: { username: me, password: digest-word } } }
routes:
  - { match: { path: /, headers: { X-Api-Key: header-word } }, upstream: api, access: public }
tests:
  - { request: GET /, headers: { Authorization: Bearer test-word }, expect: { refuse: 404 } }
`,
);
const env = {
  GATEWAY_SECRET: secret,
  POLLS: 'Bearer poll-word',
  GATEHOUSE__UPSTREAMS__API__URL: 'http://127.0.0.1:7',
  GATEHOUSE__LIMITS__IDLE: '9s',
};

t.test("for the authorization service's file, the error says which command to use instead", async (t) => {
  const other = written(
    'authorization.yaml',
    'version: 1\nissuer: http://localhost:8081\nresources: [https://api.example.com]\n',
  );
  for (const [args, instead] of [
    [
      ['config', 'show'],
      /is the file of the authorization service, .*: `gatehouse check` judges the file of the service/,
    ],
  ] as const) {
    const { status, stdout, stderr } = await command(t, [...args, '--config', other]).ended();
    t.strictSame([status, stdout], [1, '']);
    t.match(stderr, instead);
  }
});

t.test('every value has its origin: environment, file with line and variable, or default', async (t) => {
  const { status, stdout } = await command(t, ['config', 'show', '--config', file, '--json'], { env }).ended();
  t.equal(status, 0);
  const rows = new Map(JSON.parse(stdout).map((row: { key: string }) => [row.key, row]));
  t.match(rows.get('listen'), {
    value: '127.0.0.1:1234',
    origin: { kind: 'file', line: 2, variable: '${ADDRESS:-…}' },
  });
  t.match(rows.get('upstreams.api.url'), {
    value: 'http://127.0.0.1:7',
    origin: { kind: 'environment', name: 'GATEHOUSE__UPSTREAMS__API__URL' },
  });
  t.match(rows.get('limits.idle'), { value: '9s', origin: { kind: 'environment' } });
  t.match(rows.get('limits.header_size'), { value: '16KiB', origin: { kind: 'default' } });
});

t.test('no secret is shown, wherever its value is from', async (t) => {
  for (const json of [[], ['--json']]) {
    const { stdout } = await command(t, ['config', 'show', '--config', file, ...json], { env }).ended();
    t.match(stdout, /\[redacted\]/);
    t.notMatch(stdout, new RegExp(`${secret}|fallback-word|header-word|test-word|digest-word|push-word|poll-word`));
  }
});

t.test('a file that does not load exits with 1', async (t) => {
  t.match(await command(t, ['config', 'show', '--config', `${file}.none`]).ended(), { status: 1 });
  t.match(await command(t, ['config']).ended(), { status: 2 });
});

t.test('the password of a Redis is hidden in both forms of `counters`', async (t) => {
  const rest =
    'version: 1\nupstreams: { api: { url: "http://127.0.0.1:9" } }\nroutes: [{ match: { path: / }, upstream: api, access: public }]\n';
  for (const counters of ['"redis://gw:redis-word@cache:1"', '{ url: "redis://gw:redis-word@cache:1" }']) {
    const shown = written('counters.yaml', `${rest}counters: ${counters}\n`);
    const { stdout, status } = await command(t, ['config', 'show', '--config', shown]).ended();
    t.equal(status, 0);
    t.match(stdout, /cache:1/);
    t.notMatch(stdout, 'redis-word');
  }
});
