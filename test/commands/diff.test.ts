import t, { type Test } from 'tap';
import { command } from '../support/command.ts';
import { rules, written } from './rules.ts';

const read = 'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read';
const old = rules('old.yaml', [read]);

async function diff(t: Test, before: string, after: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = await command(t, ['diff', before, after, '--json', ...args]).ended();
  t.equal(stderr, '');
  return { status, ...JSON.parse(stdout) };
}

t.test('a file is neither wider nor narrower than itself', async (t) => {
  t.match(await diff(t, old, old), { status: 0, changes: [], undecided: [] });
});

/** What is changed, and the one entry that tells it. */
const cases: Record<string, readonly [after: readonly string[], expected: object]> = {
  'a route that becomes public': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}" }, access: public'],
    { change: 'opened', methods: ['GET'], path: '/orders/{}', callers: [/without a token/] },
  ],
  'a scope that opens too': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: { any_of: [orders.read, admin] }'],
    { change: 'opened', callers: ['with scope admin'] },
  ],
  'a method that is added': [
    ['id: read, match: { methods: [GET, PUT], path: "/orders/{id}" }, scope: orders.read'],
    { change: 'opened', methods: ['PUT'] },
  ],
  'a second scope that is needed': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read admin'],
    { change: 'closed', callers: ['with scope orders.read'] },
  ],
  'a narrower host': [
    ['id: read, match: { methods: [GET], path: "/orders/{id}", host: api.example.com }, scope: orders.read'],
    { change: 'closed', hosts: ['(any other host)'] },
  ],
  'a literal beside a parameter': [
    [read, 'id: new, match: { methods: [GET], path: /orders/new }, access: authenticated'],
    { change: 'opened', path: '/orders/new', callers: ['with a token without scope'] },
  ],
  'another audience': [
    [`${read}, audience: "https://other.example.com"`],
    { change: 'opened', callers: [/audience https:\/\/other\.example\.com/] },
  ],
  'a claim that is needed': [
    [`${read}, claims: { tenant: { equals: acme } }`],
    { change: 'closed', callers: ['with scope orders.read'] },
  ],
  'a route on a condition': [
    [read, 'id: beta, match: { path: "/orders/{id}", headers: { x-beta: "1" } }, access: public'],
    { change: 'opened', path: '/orders/{} [x-beta: 1]' },
  ],
  'a catch-all': [[read, 'id: all, match: { path: "/{rest*}" }, access: public'], { change: 'opened', path: '/{*}' }],
  'shadow mode': [[`${read}, mode: shadow`], { change: 'opened', methods: ['GET'], path: '/orders/{}' }],
};

for (const [name, [after, expected]] of Object.entries(cases)) {
  t.test(`diff tells ${name}`, async (t) => {
    const { status, changes } = await diff(t, old, rules('new.yaml', after));
    const opened = changes.some(({ change }: { change: string }) => change === 'opened');
    t.equal(status, opened ? 1 : 0);
    const found = changes.filter((change: object) => matches(change, expected));
    t.ok(found.length > 0, JSON.stringify(changes, null, 1));
  });
}

function matches(change: object, expected: object): boolean {
  return Object.entries(expected).every(([key, wanted]) => {
    const value = (change as Record<string, unknown>)[key];
    const fits = (one: unknown, text: unknown) => (one instanceof RegExp ? one.test(String(text)) : one === text);
    if (!Array.isArray(wanted)) return fits(wanted, value);
    return wanted.every((one) => (value as unknown[]).some((text) => fits(one, text)));
  });
}

t.test('narrowing exits with 0, widening with 1 unless it is allowed', async (t) => {
  const wide = rules('wide.yaml', [read, 'id: x, match: { path: /x }, access: public']);
  t.match(await diff(t, wide, old), { status: 0, changes: [{ change: 'closed', path: '/x' }] });
  t.match(await diff(t, old, wide), {
    status: 1,
    changes: [{ change: 'opened', path: '/x', callers: ['every caller'] }],
  });
  t.match(await diff(t, old, wide, '--allow-widening'), { status: 0 });
});

t.test('a condition that changes is undecided; with the same one all else is compared', async (t) => {
  const when = (text: string, scope: string) =>
    rules(`when-${scope}-${text.length}.yaml`, [`id: read, match: { path: /a }, scope: ${scope}, when: '${text}'`]);
  const one = when('identity.claims.env == "prod"', 'a');
  const unlike = await diff(t, one, when('identity.claims.env == "test!"', 'a'));
  t.match(unlike, { status: 0, changes: [], undecided: [{ route: 'read', at: `${one}:7` }, { route: 'read' }] });
  const scoped = await diff(t, one, when('identity.claims.env == "prod"', 'b'));
  t.match(scoped, { status: 1, changes: [{ change: 'opened', callers: ['with scope b'] }, { change: 'closed' }] });
});

t.test('replay tells which recorded requests are answered otherwise', async (t) => {
  const line = (more: object) =>
    JSON.stringify({ level: 30, method: 'GET', host: 'api.example.com', path: '/orders/7', route: 'read', ...more });
  const log = written(
    'decisions.ndjson',
    [
      line({ code: 'forwarded', subject: 'alice', client: 'shop' }),
      line({ msg: 'forwarded', subject: 'bob', client: 'shop' }),
      line({ code: 'credential_missing' }),
      line({ code: 'token_expired' }),
      line({ code: 'scope_insufficient', client: 'stock', scope_held: ['orders.write'] }),
      line({ code: 'upstream_timeout', subject: 'alice' }),
      'not JSON',
      '',
    ].join('\n'),
  );
  const after = rules('replayed.yaml', ['id: read, match: { path: "/orders/{id}" }, scope: orders.write']);
  const { replay } = await diff(t, old, after, '--replay', log);
  t.match(replay, { requests: 5, undecided: 0, ignored: 2 });
  t.match(replay.changed, [
    { was: 'forwarded', now: '403 scope_insufficient', client: 'shop', count: 2, example: '/orders/7' },
    { was: '403 scope_insufficient', now: 'forwarded', client: 'stock', count: 1 },
  ]);
  const opened = rules('opened.yaml', ['id: read, match: { path: "/orders/{id}" }, access: public']);
  t.equal((await diff(t, old, opened, '--replay', log)).replay.changed.length, 3);
});

t.test('files that do not load exit with 1, a log that cannot be read with 2', async (t) => {
  t.match(await command(t, ['diff', old, `${old}.none`]).ended(), { status: 1, stderr: /does not exist/ });
  t.match(await command(t, ['diff', old, old, '--replay', `${old}.none`]).ended(), { status: 2 });
  t.match(await command(t, ['diff', old, old]).ended(), { status: 0, stdout: /No request is let in/ });
});
