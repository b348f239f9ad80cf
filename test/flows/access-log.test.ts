import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { group, workerOf } from '../support/group.ts';
import { startProcess } from '../support/process.ts';
import { reloadable } from '../support/reloadable.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { JWT_BEGINS, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Starts programs: 15 s on a busy machine. */
t.setTimeout(240_000);

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** Without the last line, which may be incomplete. */
function wholeLines(file: string): readonly { http: { request: { id: string } }; url: { path: string } }[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line));
}

t.test('a file gets a line for each request, forwarded or refused, and only its owner can read it', async (t) => {
  const upstream = await witness(t, { status: 500, body: 'broken' });
  const file = join(temporaryFolder(t), 'logs', 'access.log');
  const { url } = await gateway(t, behind(upstream.url, { access_log: { file } }));
  const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  const headers = { authorization: `Bearer ${token}`, referer: 'https://app.example/?token=Hush', 'user-agent': 'a"b' };
  await fetch(`${url}/orders/1?q=Hush`, { headers });
  await (await fetch(`${url}/nowhere`)).text();
  t.ok(await until(() => linesOf(file).length === 2));
  const [forwarded = '', refused = ''] = linesOf(file);
  const time = String.raw`\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\]`;
  t.match(
    forwarded,
    new RegExp(
      String.raw`^127\.0\.0\.1 - alice ${time} "GET /orders/1 HTTP/1\.1" 500 6 "https://app\.example/" "a\\"b"$`,
    ),
  );
  t.match(refused, /^127\.0\.0\.1 - - \[.*\] "GET \/nowhere HTTP\/1\.1" 404 [1-9]\d+ "-" "/);
  t.notMatch(readFileSync(file, 'utf8'), /Hush/);
  t.notMatch(readFileSync(file, 'utf8'), JWT_BEGINS);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test('without the setting there is no access log', async (t) => {
  const upstream = await witness(t);
  const { metric, url } = await reloadable(t, behind(upstream.url));
  await fetch(`${url}/public/a`);
  t.equal(await metric('gatehouse_access_log_lines_lost_total'), 0);
});

t.test('after a reload the gateway creates a renamed file again, even if the reload is rejected', async (t) => {
  const upstream = await witness(t);
  const body = behind(upstream.url, { access_log: { file: 'access.log', format: 'ecs' } });
  const { url, directory, take } = await reloadable(t, body);
  const [file, old] = [join(directory, 'access.log'), join(directory, 'access.log.1')];
  const paths = (name: string) => linesOf(name).map((line) => JSON.parse(line).url.path);
  await fetch(`${url}/public/a`);
  t.ok(await until(() => paths(file).length === 1));
  renameSync(file, old);
  await fetch(`${url}/public/b`);
  t.ok(await until(() => paths(old).length === 2), 'until then the old one is written on');
  await take(body);
  await fetch(`${url}/public/c`);
  t.ok(await until(() => paths(file).length === 1));
  renameSync(file, old);
  t.notOk((await take('nonsense: true')).ok);
  await fetch(`${url}/public/d`);
  t.ok(await until(() => paths(file).length === 1));
  t.strictSame([...paths(old), ...paths(file)], ['/public/c', '/public/d']);
});

t.test('another access log needs a restart, and the log says so', async (t) => {
  const upstream = await witness(t);
  const { take, log } = await reloadable(t, behind(upstream.url));
  t.match(await take(behind(upstream.url, { access_log: { file: 'access.log' } })), {
    ok: true,
    restart: ['access_log'],
  });
  t.ok(log.some(({ msg }) => msg === '`access_log` changes only with a restart'));
});

t.test('a gateway does not start if the file is not writable, and names the setting', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  const wanted = behind('http://127.0.0.1:9', { access_log: { file: `${file}/access.log` } });
  await t.rejects(gateway(t, wanted), {
    name: 'CannotStart',
    message: /^gateway\.yaml:\d+:\d+: the access log .*access\.log cannot be written: E[A-Z]+.*; choose a regular file/,
  });
  for (const workers of [1, 2])
    await t.rejects(
      startProcess({ config: { workers, ...wanted } }),
      /exited with 1: gatehouse: \S+gateway\.yaml:\d+:\d+: the access log .* cannot be written: E/,
    );
});

t.test(
  'a gateway does not start with a pipe as the file, because a pipe could block it, and says what to write',
  async (t) => {
    const file = join(temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [file]);
    await t.rejects(gateway(t, behind('http://127.0.0.1:9', { access_log: { file } })), {
      name: 'CannotStart',
      message:
        /^gateway\.yaml:\d+:\d+: the access log .*pipe cannot be written: it is not a regular file.*set `file: '-'` for/,
    });
  },
);

t.test('a full disk loses lines and no request: the lines are counted, and logged once', async (t) => {
  const upstream = await witness(t);
  const { url, metric, log } = await reloadable(t, behind(upstream.url, { access_log: { file: '/dev/full' } }));
  for (let count = 0; count < 20; count++) t.equal((await fetch(`${url}/public/a`)).status, 200);
  t.ok(await until(async () => (await metric('gatehouse_access_log_lines_lost_total')) === 20));
  const told = log.filter(({ msg }) => msg === 'the access log cannot be written: its lines are lost');
  t.equal(told.length, 1);
  t.match(told[0], { level: 50, err: { code: 'ENOSPC' } });
});

t.test('all lines are in the file when a gateway has stopped', async (t) => {
  const upstream = await witness(t);
  const directory = temporaryFolder(t);
  const file = join(directory, 'access.log');
  const started = await startProcess({ config: behind(upstream.url, { access_log: { file } }) });
  await Promise.all(Array.from({ length: 200 }, () => fetch(`http://127.0.0.1:${started.port}/public/a`)));
  t.equal(await started.stop(), 0);
  t.equal(linesOf(file).length, 200);
});

t.test("`-` is standard output, where the workers' lines are whole, beside the log", async (t) => {
  const upstream = await witness(t);
  for (const workers of [1, 2]) {
    const config = behind(upstream.url, {
      workers,
      access_log: { format: 'ecs' },
      log: { level: 'info', format: 'json' },
    });
    const started = await startProcess({ config });
    t.teardown(() => started.stop());
    await Promise.all(Array.from({ length: 50 }, () => fetch(`http://127.0.0.1:${started.port}/public/a`)));
    const told = () => {
      const lines = started
        .output()
        .split('\n')
        .filter((line) => line.includes('gatehouse.access'));
      return lines.map((line) => JSON.parse(line).url.path);
    };
    t.ok(await until(() => told().length === 50), `${workers} workers`);
    t.equal(await started.stop(), 0);
  }
});

t.test('workers write into one file, and reopen it on SIGHUP', async (t) => {
  const upstream = await witness(t);
  const directory = temporaryFolder(t);
  const [file, old] = [join(directory, 'access.log'), join(directory, 'access.log.1')];
  const served = await group(t, behind(upstream.url, { access_log: { file, format: 'ecs' } }), 2);
  const ask = (path: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetch(`${served.url}/public/${path}`, { headers: { connection: 'close' } }).then((answer) => answer.text()),
      ),
    );
  await ask('a', 200);
  t.ok(await until(() => linesOf(file).length === 200));
  renameSync(file, old);
  process.kill(served.process.pid ?? 0, 'SIGHUP');
  // A worker that has not yet reopened it still writes into the old file.
  const writers = () => new Set(wholeLines(file).map(({ http }) => workerOf(http.request.id)));
  t.ok(
    await until(async () => {
      await ask('b', 4);
      return writers().size === 2;
    }),
    'each worker writes into the new file',
  );
  await ask('c', 50);
  t.ok(await until(() => wholeLines(file).filter(({ url }) => url.path === '/public/c').length === 50));
  for (const line of [...linesOf(old), ...linesOf(file)]) t.equal(JSON.parse(line).event.dataset, 'gatehouse.access');
});
