import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';

/** The line that is shown of the first problem, without its number. */
function shown(text: string): string | undefined {
  const loaded = loadGatewayText(text);
  return loaded.ok ? undefined : loaded.problems[0]?.frame?.split('\n')[0]?.replace(/^ *\d+ \| /, '');
}

t.test('of a file that is not YAML only signs and known keys are shown', async (t) => {
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

t.test('of YAML everything is shown but what stands below the name of a secret', async (t) => {
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
  };
  for (const [text, line] of Object.entries(sound))
    t.equal(shown(`version: 1\nroutes: []\n${text}`.replace(/^.*\n.*\n/, '')), line, text);
});

t.test('a text that must be quoted is shown behind a known key that holds no secret', async (t) => {
  const told = (text: string) => {
    const loaded = loadGatewayText(text);
    return loaded.ok ? '' : `${loaded.problems[0]?.message} ${loaded.problems[0]?.hint}`;
  };
  t.match(told('routes: [{ match: { path: /a/{hunter2} } }]\n'), 'write "/a/{hunter2}"');
  t.notMatch(told('nonce_keys: [a, x{hunter2}y]\n'), 'hunter2');
  t.notMatch(told('nonce_keys: [\n  x{hunter2}y]\n'), 'hunter2');
  t.notMatch(told('realm: a\nunknown: [\n  x{hunter2}y]\n'), 'hunter2');
});

t.test('of very many problems a hundred are told, errors first, and how many more there are', async (t) => {
  const lines = Array.from({ length: 250 }, (_, index) => `key${index}: 1\n`).join('');
  const loaded = loadGatewayText(`version: 1\n${lines}`);
  if (loaded.ok) return t.fail('it is not valid');
  t.equal(loaded.problems.length, 101);
  t.match(loaded.problems.at(-1), { severity: 'error', message: /^and at least 1\d\d more$/ });
  const places = loaded.problems.slice(0, -1).map(({ line }) => line);
  t.strictSame(
    places,
    places.toSorted((one, other) => one - other),
  );
});

t.test('lists and maps inside each other are told, however deep they are', async (t) => {
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
