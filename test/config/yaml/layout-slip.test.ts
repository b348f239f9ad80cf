import t from 'tap';
import { loadAuthorizationText, loadGatewayText } from '../../../src/config/load/load.ts';

/** Maps in maps, lists in maps, and maps in lists, with both kinds of first entry. */
const sound = `version: 1
authorization_servers:
  main:
    issuer: https://auth.example.com
    audience: https://api.example.com
    cache:
      ttl: 1m
      negative_ttl: 5s
upstreams:
  orders: { url: "http://127.0.0.1:9000" }
  meters: { url: "http://127.0.0.1:9001" }
routes:
  - id: read
    match: { methods: [GET, HEAD], path: "/orders/{rest*}" }
    upstream: orders

    # Comments and empty lines do not matter.
    scope: orders.read
  - match:
      path: /health
      methods:
        - GET
        - HEAD
    upstream: meters
    access: public
`;

const lines = sound.split('\n');

function told(text: string) {
  const loaded = loadGatewayText(text);
  return loaded.ok ? [] : loaded.problems;
}

const inWords = (text: string) =>
  told(text).map(({ line, column, message, hint }) => `${line}:${column} ${message} → ${hint}`);

/** The text with another line in one place. Lines count from 1, as in a message. */
const changed = (line: number, to: string) => lines.with(line - 1, to).join('\n');

/** Still YAML: a single key may have any column, and a deeper line continues the text above it. */
const VALID = new Set([' main:', '   main:', '       - GET', '         - HEAD']);

t.test('a line that is moved by one column is the line that the message names, with its spaces', async (t) => {
  t.strictSame(told(sound), []);
  for (const [index, line] of lines.entries()) {
    const indent = line.search(/[^ #]/);
    if (indent === -1 || line.includes('#')) continue;
    for (const moved of indent === 0 ? [` ${line}`] : [` ${line}`, line.slice(1)]) {
      if (VALID.has(moved)) continue;
      const spaces = moved.search(/\S/);
      const [problem] = told(changed(index + 1, moved));
      t.match(problem, { line: index + 1, column: spaces + 1, frame: /\|/ }, moved);
      t.match(problem?.message, new RegExp(`^this (?:key|item) has ${spaces} spaces?, `), moved);
      t.match(problem?.hint, new RegExp(`^write (?:\\d or )?${indent}(?: or \\d)? spaces? before it`), moved);
    }
  }
});

t.test('an indentation error names the spaces of the line, and the column of its block', async (t) => {
  const one = 'keys of one map, or items of one list, start in the same column';
  const cases: readonly (readonly [number, string, string])[] = [
    [
      4,
      '   issuer: a',
      `4:4 this key has 3 spaces, the keys of its block below have 4 → write 4 spaces before it; ${one}`,
    ],
    [
      5,
      '   audience: a',
      `5:4 this key has 3 spaces, the keys of its block above have 4 → write 4 spaces before it; ${one}`,
    ],
    [
      8,
      '     negative_ttl: 5s',
      `8:6 this key has 5 spaces, the keys of its block above have 6 or 4 → write 6 or 4 spaces before it; ${one}`,
    ],
    [
      14,
      '  match: { path: /a }',
      `14:3 this key has 2 spaces, the keys of its block above start after 4 characters → write 4 spaces before it; ${one}`,
    ],
    [
      23,
      '       - HEAD',
      `23:8 this item has 7 spaces, the items of its list above have 8 → write 8 spaces before it; ${one}`,
    ],
  ];
  for (const [line, text, words] of cases) t.strictSame(inWords(changed(line, text)), [words], text);
});

t.test('a missing space or colon is named, with the key if the files have a key of this name', async (t) => {
  const masked = 'write `key: value`; the excerpt shows `*` for text that may be a secret';
  const cases: readonly (readonly [number, string, string])[] = [
    [1, 'listen:127.0.0.1:9480', '1:1 a space is missing after `listen:` → write `listen: …`'],
    [4, '    issuer:https://auth.example.com', '4:5 a space is missing after `issuer:` → write `issuer: …`'],
    [4, '    "issuer":https://auth.example.com', '4:5 a space is missing after `issuer:` → write `issuer: …`'],
    [8, '      negative_ttl:5s', '8:7 a space is missing after `negative_ttl:` → write `negative_ttl: …`'],
    [13, '  - id:read', '13:5 a space is missing after `id:` → write `id: …`'],
    [23, '        -HEAD', '23:9 a space is missing after `-` → write `- ` before each item of a list'],
    [18, '    hunter2:a', `18:5 a space is missing after the first \`:\` of this line → ${masked}`],
    [2, 'authorization_servers', '2:1 `:` is missing after `authorization_servers` → write `authorization_servers: …`'],
    [3, '  hunter2', `3:3 \`:\` is missing after the first word of this line → ${masked}`],
    [18, '    scope orders.read', '18:5 `:` is missing after `scope` → write `scope: …`'],
  ];
  for (const [line, text, words] of cases)
    for (const end of ['\n', '\r\n']) t.strictSame(inWords(changed(line, text).replaceAll('\n', end)), [words], text);
  t.match(told(changed(1, 'listen:127.0.0.1:9480')), [{ frame: /\| listen:127\.0\.0\.1:9480\n/ }]);
  t.notMatch(JSON.stringify(told(changed(18, '    hunter2:a'))), /hunter2/);
});

t.test('a missing quote, bracket or comma is not reported as an indentation error', async (t) => {
  for (const { 0: sign, index } of sound.matchAll(/["{}[\],]/g)) {
    const text = sound.slice(0, index) + sound.slice(index + 1);
    t.notMatch(inWords(text).join(), /\d spaces? before it/, `without ${sign} at ${index}`);
  }
});

t.test('the text after `client_secret:` is not shown, although YAML reads it as the end of one text', async (t) => {
  for (const text of [
    'client_secret:hunter2',
    'clients:\n  - client_secret:hunter2',
    'clients: client_secret:hunter2',
  ]) {
    const loaded = loadAuthorizationText(`${text}\n`);
    t.notOk(loaded.ok, text);
    t.notMatch(JSON.stringify(loaded), /hunter2/, text);
  }
  t.match(inWords('listen:127.0.0.1:9480\n'), [/found `listen:127\.0\.0\.1:9480` → write a space after the colon/]);
});
