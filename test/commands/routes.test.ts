import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { command } from '../support/command.ts';
import { rules } from './rules.ts';

const file = rules('routes.yaml', [
  'id: rest, match: { path: "/orders/{rest*}" }, access: authenticated',
  'id: any-host, match: { path: /orders/new, methods: [POST] }, scope: { any_of: [a, b c] }',
  'id: one, match: { path: "/orders/{id}", headers: { x-v: "2" } }, scope: a, mode: shadow',
  'id: tenant, match: { path: "/{rest*}", host: "{t}.example.com" }, access: public',
  'id: exact, match: { path: "/{rest*}", host: api.example.com }, access: optional',
]);

t.test('routes are listed in the order of matching: host, then segment by segment', async (t) => {
  const { status, stdout } = await command(t, ['routes', '--config', file, '--json']).ended();
  t.equal(status, 0);
  const rows = JSON.parse(stdout);
  t.strictSame(
    rows.map(({ id }: { id: string }) => id),
    ['exact', 'tenant', 'any-host', 'one', 'rest'],
  );
  t.match(rows[2], { methods: ['POST'], scope: ['a', 'b c'], upstream: 'api', at: `${file}:8` });
});

t.test('a route names the scopes that imply its own', async (t) => {
  const implied = rules(
    'implied.yaml',
    ['match: { path: /a }, scope: { any_of: [a, b c] }'],
    'scopes: { x: { implies: [a] }, y: { implies: [x, c] } }\n',
  );
  const json = await command(t, ['routes', '--config', implied, '--json']).ended();
  t.match(JSON.parse(json.stdout), [{ scope: ['a', 'b c'], scope_implied_by: { a: ['x', 'y'], c: ['y'] } }]);
  const { stdout } = await command(t, ['routes', '--config', implied]).ended();
  t.match(stdout, /scope a \| b c; x, y imply a; y implies c +api/);
});

t.test('a route names the schemes of the credentials that it accepts', async (t) => {
  const users = t.testdir({ 'u.htpasswd': '', 'u.htdigest': '' });
  for (const name of ['u.htpasswd', 'u.htdigest']) chmodSync(join(users, name), 0o600);
  const digest = `digest: { realm: m, users: ${users}/u.htdigest }`;
  const schemes = rules('schemes.yaml', [
    'id: token, match: { path: /1 }, scope: a',
    `id: users, match: { path: /2 }, auth: digest, ${digest}, access: authenticated`,
    `id: both, match: { path: /3 }, auth: { any_of: [bearer, basic] }, basic: { realm: m, users: ${users}/u.htpasswd, scopes: { b: a } }, scope: a`,
    'id: open, match: { path: /4 }, access: public',
  ]);
  const json = await command(t, ['routes', '--config', schemes, '--json']).ended();
  t.strictSame(
    JSON.parse(json.stdout).map(({ id, auth }: { id: string; auth: unknown }) => [id, auth]),
    [
      ['token', ['bearer']],
      ['users', ['digest']],
      ['both', ['bearer', 'basic']],
      ['open', []],
    ],
  );
  const { stdout } = await command(t, ['routes', '--config', schemes]).ended();
  t.match(
    stdout,
    /\/1 +scope a +api .*\n.*\/2 +authenticated by digest +api .*\n.*\/3 +scope a by bearer or basic +api/,
  );
});

t.test('in text output each route is a line with its place', async (t) => {
  const { stdout } = await command(t, ['routes', '--config', file]).ended();
  t.match(stdout, /POST +\/orders\/new +scope a \| b c +api +.*:8\n/);
  t.match(stdout, /\/orders\/\{id\} \[header x-v: 2\] +scope a \(shadow\)/);
  t.equal(stdout.trimEnd().split('\n').length, 5);
});
