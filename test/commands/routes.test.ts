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

t.test('in text output each route is a line with its place', async (t) => {
  const { stdout } = await command(t, ['routes', '--config', file]).ended();
  t.match(stdout, /POST +\/orders\/new +scope a \| b c +api +.*:8\n/);
  t.match(stdout, /\/orders\/\{id\} \[header x-v: 2\] +scope a \(shadow\)/);
  t.equal(stdout.trimEnd().split('\n').length, 5);
});
