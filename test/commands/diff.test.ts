import t, { type Test } from 'tap';
import { command } from '../support/command.ts';
import { rules, written } from './rules.ts';

/** Starts the program for each command: 10 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const read = 'id: read, match: { methods: [GET], path: "/orders/{id}" }, scope: orders.read';
const old = rules('old.yaml', [read]);

async function diff(t: Test, before: string, after: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = await command(t, ['diff', before, after, '--json', ...args]).ended();
  t.equal(stderr, '');
  return { status, ...JSON.parse(stdout) };
}

t.test('a file is neither wider nor narrower than itself', async (t) => {
  const { status, changes, undecided } = await diff(t, old, old);
  t.strictSame({ status, changes, undecided }, { status: 0, changes: [], undecided: [] });
});

t.test('a narrower file exits with 0, a wider one with 1 unless that is allowed', async (t) => {
  const wide = rules('wide.yaml', [read, 'id: x, match: { path: /x }, access: public']);
  t.match(await diff(t, wide, old), { status: 0, changes: [{ change: 'closed', path: '/x' }] });
  t.match(await diff(t, old, wide), {
    status: 1,
    changes: [{ change: 'opened', path: '/x', callers: ['every caller'] }],
  });
  t.match(await diff(t, old, wide, '--allow-widening'), { status: 0 });
});

t.test('replay lists recorded requests whose answers differ', async (t) => {
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

t.test('replay says how many paths a line summarizes', async (t) => {
  const line = (path: string) =>
    JSON.stringify({ method: 'GET', host: 'api.example.com', path, route: 'read', code: 'credential_missing' });
  const paths = ['/orders/7', '/orders/7', '/orders/8'];
  const opened = rules('summed-up.yaml', ['id: read, match: { path: "/orders/{id}" }, access: public']);
  const told = async (...recorded: readonly string[]) => {
    const log = written('summed-up.ndjson', recorded.map(line).join('\n'));
    return (await command(t, ['diff', old, opened, '--replay', log, '--allow-widening']).ended()).stdout;
  };
  t.match(await told(...paths), '3 × GET /orders/7 and 1 other (read): was 401');
  t.match(await told(...paths, '/orders/9'), '4 × GET /orders/7 and 2 others (read)');
  t.match(await told('/orders/7', '/orders/7'), '2 × GET /orders/7 (read)');
});

t.test('files that do not load exit with 1, an unreadable log with 2', async (t) => {
  t.match(await command(t, ['diff', old, `${old}.none`]).ended(), { status: 1, stderr: /does not exist/ });
  t.match(await command(t, ['diff', old, old, '--replay', `${old}.none`]).ended(), { status: 2 });
  t.match(await command(t, ['diff', old, old]).ended(), { status: 0, stdout: /No request has more or less access/ });
});
