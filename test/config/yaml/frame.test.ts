import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';

/** The shown line of the first problem, without its number. */
function shown(text: string): string | undefined {
  const loaded = loadGatewayText(text);
  return loaded.ok ? undefined : loaded.problems[0]?.frame?.split('\n')[0]?.replace(/^ *\d+ \| /, '');
}

t.test('an excerpt of a file that is not YAML shows only signs and known keys', async (t) => {
  const broken: Readonly<Record<string, string>> = {
    'realm: a: hunter2\n': 'realm: *: *******',
    'realm: a\nhunter2\n': '*******',
    'nonce_keys:\n  - a\n - hunter2\n': ' - *******',
    'realm: { "scope":"hunter2", realm: [a, b }\n': 'realm: { "scope":"*******", realm: [*, * }',
    'client_secret: |hunter2\n': 'client_secret: ********',
    'realm: "\\qhunter2"\n': 'realm: "*********"',
    'hunter2: a: b\n': '*******: *: *',
    '# realm: hunter2\n\trealm: a # hunter2\n': '\trealm: * # *******',
    'realm: https://u:hunter2@h: x\n': 'realm: *****:***:*********: *',
  };
  for (const [text, line] of Object.entries(broken)) t.equal(shown(text), line, text);
});

t.test('an excerpt of a file that is not YAML shows a value that cannot be a secret', async (t) => {
  // A tab is no indentation in YAML.
  const lines: Readonly<Record<string, string>> = {
    'http2: true': 'http2: true',
    'connections: 5000': 'connections: 5000',
    '- ttl: 15m ': '- ttl: 15m ',
    'listen: 127.0.0.1:8080': 'listen: 127.0.0.1:8080',
    'url: http://localhost:9000/': 'url: http://localhost:9000/',
    'listen:127.0.0.1:8080': 'listen:127.0.0.1:8080',
    '- realm:hunter2': '- realm:*******',
    'client_secret:12345': 'client_secret:*****',
    'hunter:12345': '******:*****',
    'realm: x realm:hunter2': 'realm: * *****:*******',
    'connections: 123456': 'connections: ******',
    'ttl: 15m hunter2': 'ttl: *** *******',
    'ttl: &p 15m': 'ttl: ** ***',
    'url: http://127.0.0.1/hunter2': 'url: ****:*******************',
    'url: http://u:12345@127.0.0.1': 'url: ****:***:***************',
    'password: 12345': 'password: *****',
    'client_secret: true': 'client_secret: ****',
    'hunter: 12345': '******: *****',
    'realm: { password: a, ttl: 15m': 'realm: { password: *, ttl: ***',
  };
  for (const [line, excerpt] of Object.entries(lines)) t.equal(shown(`\t${line}\n`), `\t${excerpt}`, line);
});

t.test('an excerpt of a file that is not YAML shows no line of a secret, wherever it begins', async (t) => {
  const broken = [
    'client_secret:\n\thunter2\n',
    'client_secret:\n12345\n\t12345: x\n',
    'client_secret: |\n  a\n\thunter2\n',
    'client_secret: "a\n\thunter2\n',
    'nonce_keys: [a,\n\thunter2\n',
    'realm: &p hunter2: x\n',
    'clients: [{ client_id: a, client_secret: hunter2 }: x\n',
  ];
  for (const text of broken) {
    const loaded = loadGatewayText(text);
    t.notOk(loaded.ok, text);
    t.notMatch(JSON.stringify(loaded.ok ? [] : loaded.problems), /hunter2|12345/, text);
  }
});

t.test('an excerpt of YAML shows everything except the values of secrets', async (t) => {
  const sound: Readonly<Record<string, string>> = {
    'realmm: hunter\n': 'realmm: hunter',
    'client_secret: hunter2\n': 'client_secret: *******',
    'client_secret: &hunter2 hunter2\n': 'client_secret: ******** *******',
    'client_secret: &hunter2\n': 'client_secret: ********',
    'client_secret: *hunter2\n': 'client_secret: ********',
    'client_secret: [a!b, hunter2]\n': 'client_secret: [***, *******]',
    'realmm: "a # b" # was hunter2\n': 'realmm: "a # b" * *** *******',
    'realmm: { client_secret: abc,hunter2 }\n': 'realmm: { client_secret: ***,******* }',
    'realmm: { client_secret:hunter2 }\n': 'realmm: { ********************* }',
    'realmm: [client_secret:hunter2]\n': 'realmm: [client_secret:********',
    'realmm: { a: [orders:read, "https://a"] }\n': 'realmm: { a: [orders:read, "https://a"] }',
  };
  for (const [text, line] of Object.entries(sound))
    t.equal(shown(`version: 1\nroutes: []\n${text}`.replace(/^.*\n.*\n/, '')), line, text);
});

t.test('a text that must be quoted is shown after a known key that is not secret', async (t) => {
  const told = (text: string) => {
    const loaded = loadGatewayText(text);
    return loaded.ok ? '' : `${loaded.problems[0]?.message} ${loaded.problems[0]?.hint}`;
  };
  t.match(told('routes: [{ match: { path: /a/{hunter2} } }]\n'), 'write "/a/{hunter2}"');
  t.notMatch(told('nonce_keys: [a, x{hunter2}y]\n'), 'hunter2');
  t.notMatch(told('nonce_keys: [\n  x{hunter2}y]\n'), 'hunter2');
  t.notMatch(told('realm: a\nunknown: [\n  x{hunter2}y]\n'), 'hunter2');
});

t.test('at most a hundred problems are reported, errors first, with the number of the others', async (t) => {
  const lines = Array.from({ length: 250 }, (_, index) => `key${index}: 1\n`).join('');
  const loaded = loadGatewayText(`version: 1\n${lines}`);
  if (loaded.ok) return t.fail('it is not valid');
  t.equal(loaded.problems.length, 101);
  t.match(loaded.problems.at(-1), { severity: 'error', message: /^there are at least 1\d\d more findings$/ });
  const places = loaded.problems.slice(0, -1).map(({ line }) => line);
  t.strictSame(
    places,
    places.toSorted((one, other) => one - other),
  );
});

t.test('deeply nested lists and maps are reported, at any depth', async (t) => {
  for (const text of [
    '['.repeat(100_000),
    '- '.repeat(101),
    `a: ${'[{'.repeat(60)}${'}]'.repeat(60)}`,
    '{a: '.repeat(5_000),
  ]) {
    const loaded = loadGatewayText(text);
    t.match(loaded.ok ? [] : loaded.problems, [{ message: /nested too deep|not closed/ }], text.slice(0, 20));
  }
});
