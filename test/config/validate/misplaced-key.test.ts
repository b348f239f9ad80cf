import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';

/** The hint of each finding, by its place. */
function hintsFor(route: string): Readonly<Record<string, string | undefined>> {
  const text = `version: 1
upstreams: { api: { url: http://127.0.0.1:9000 } }
defaults: { upstream: api }
routes:
${route}`;
  const loaded = loadGatewayText(text, { file: 'gateway.yaml', env: {} });
  const problems = loaded.ok ? [] : loaded.problems;
  return Object.fromEntries(problems.map(({ line, column, hint }) => [`${line}:${column}`, hint]));
}

t.test('a key of an inner map is told to be written there', (t) => {
  t.match(hintsFor('  - { path: /a, access: public }\n'), { '5:7': 'write it in `match`' });
  t.strictSame(hintsFor('  - { match: { path: /a }, realm: meters, access: public }\n'), {
    '5:28': 'write it in `basic` or `api_key` or `digest`',
  });
  t.end();
});

t.test('if the inner map is empty, the indentation is wrong', (t) => {
  t.strictSame(hintsFor('  - match:\n    path: /a\n    methods: [GET]\n    access: public\n'), {
    '5:11': 'write its keys below it, with more spaces, or leave the key out',
    '6:5': 'write more spaces before it than before `match`',
    '7:5': 'write more spaces before it than before `match`',
  });
  t.end();
});

t.test('a key of an outer map is told to be written beside the inner map', (t) => {
  t.strictSame(hintsFor('  - { match: { path: /a, access: public } }\n'), {
    '5:26': 'write it beside `match`, not in it',
  });
  t.strictSame(hintsFor('  - { match: { path: /a }, access: public, limits: { upstream: api } }\n'), {
    '5:54': 'write it beside `limits`, not in it',
  });
  t.end();
});

t.test('an unknown key of no map near it gets the hint for its spelling', (t) => {
  t.match(hintsFor('  - { match: { path: /a, hosts: a.example.com }, access: public }\n'), {
    '5:26': 'did you mean `host`?',
  });
  t.strictSame(hintsFor('  - { match: { path: /a }, colour: blue, access: public }\n'), { '5:28': undefined });
  t.end();
});
