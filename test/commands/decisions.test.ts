import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { parseFilter } from '../../src/gateway/console/live/filter.ts';
import { command } from '../support/command.ts';
import { cuttable } from '../support/cuttable.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { launcher } from '../support/launcher.ts';
import { onePath, servedFile, writeIn } from '../support/served-file.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { EVIL, isWatched, STEERS, scriptedAdmin } from './live-admin.ts';

/** Starts the program for each command: 110 s beside other tests on a busy machine. */
t.setTimeout(240_000);

async function watchable(t: Test) {
  const { url } = await witness(t);
  return gateway(t, behind(url, { admin: '127.0.0.1:0' }));
}

const linesOf = (text: string) => text.split('\n').filter(Boolean);

t.test('--follow prints one line for each decision from now on, and ends after --limit', async (t) => {
  const running = await watchable(t);
  const following = command(t, ['decisions', '--follow', '--limit', '2', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl), following.stderr());
  const authorization = `Bearer ${await jwt({ scope: 'orders.read' }, { alg: 'HS256' })}`;
  await fetch(`${running.url}/orders/7?q=hidden`, { headers: { authorization } });
  await fetch(`${running.url}/admin/7`, { headers: { authorization } });
  const { status, stdout, stderr } = await following.ended();
  t.strictSame([status, stderr], [0, '']);
  const [passed, refused, ...more] = linesOf(stdout);
  t.match(passed, /^\d\d:\d\d:\d\d\.\d{3} {2}200 {2}GET {5}\/orders\/7 +orders +shop +[\d.]+ ms$/);
  t.match(refused, /^\d\d:\d\d:\d\d\.\d{3} {2}403 {2}GET {5}\/admin\/7 +scope_insufficient +shop +[\d.]+ ms$/);
  t.equal(passed?.indexOf('shop'), refused?.indexOf('shop'), 'the columns are aligned');
  t.strictSame(more, []);
});

t.test('without --follow it prints the decisions in memory, and its options select and shape them', async (t) => {
  const running = await watchable(t);
  const admin = ['--admin', String(running.adminUrl)];
  const none = await command(t, ['decisions', ...admin]).ended();
  t.match(none, { status: 0, stdout: '', stderr: /no decision in memory matches.* --follow/ });
  const following = command(t, ['decisions', '--seconds', '60', ...admin, 'route:nothing']);
  t.ok(await isWatched(running.adminUrl));
  const every = command(t, ['decisions', '-f', '--limit', '3', ...admin]);
  t.ok(await isWatched(running.adminUrl, 2));
  for (const path of ['/public/1', '/orders/1', '/public/2']) await fetch(running.url + path);
  await every.ended();
  const printed = async (...args: string[]) => {
    const { status, stdout, stderr } = await command(t, ['decisions', ...admin, ...args]).ended();
    t.strictSame([status, stderr], [0, ''], args.join(' '));
    return linesOf(stdout);
  };
  const paths = (lines: readonly string[]) => lines.map((line) => /\/\w+\/\d/.exec(line)?.[0]);
  t.strictSame(paths(await printed()), ['/public/1', '/orders/1', '/public/2']);
  t.strictSame(paths(await printed('--limit', '1')), ['/public/2']);
  t.strictSame(paths(await printed('status:4xx', 'method:GET')), ['/orders/1']);
  t.strictSame(paths(await printed('-route:orders', '-/public/1')), ['/public/2']);
  t.strictSame(paths(await printed('--', '-/public')), ['/orders/1']);
  const [record] = await printed('--json', '/orders/');
  t.match(JSON.parse(String(record)), {
    gateway: new URL(String(running.adminUrl)).host,
    path: '/orders/1',
    steps: [{}],
  });
  const steps = await printed('/orders/', '--steps');
  t.match(steps.join('\n'), /^ {4}credential +refused +/m);
  t.equal(following.stdout(), '');
  following.process.kill('SIGINT');
  t.equal((await following.ended()).status, 0);
});

t.test('a filter that cannot be read is a usage error with the words of the gateway', async (t) => {
  const fault = parseFilter('stauts:4xx');
  const { status, stderr } = await command(t, ['decisions', 'stauts:4xx']).ended();
  t.equal(status, 2);
  t.match(stderr, `error: ${fault.ok ? '' : fault.fault}`);
});

t.test('no text of a decision controls the terminal or begins a line', async (t) => {
  const step = { step: EVIL, verdict: EVIL, detail: EVIL, at: EVIL };
  const text = { method: EVIL, path: EVIL, code: EVIL, route: EVIL, client: EVIL, user_agent: EVIL, [EVIL]: EVIL };
  const admin = await scriptedAdmin(t, [
    { ...text, steps: [step] },
    { ...text, code: 'forwarded', shadow: EVIL },
  ]);
  for (const args of [['--steps'], ['--json'], ['--follow', '--limit', '2', '--steps']]) {
    const { status, stdout, stderr } = await command(t, ['decisions', '--admin', admin.url, ...args]).ended();
    t.strictSame([status, stderr], [0, '']);
    t.match(stdout, 'evil');
    t.notMatch(stdout, STEERS, args.join(' '));
  }
});

t.test('members that are missing or have another type are left out', async (t) => {
  const admin = await scriptedAdmin(t, [{}, { time: 'x', status: 'y', path: [1], steps: 7, milliseconds: null }]);
  const { status, stdout } = await command(t, ['decisions', '--steps', '--admin', admin.url]).ended();
  t.equal(status, 0);
  t.equal(linesOf(stdout).length, 2);
});

t.test('a token in a header of a client is in no output', async (t) => {
  const running = await watchable(t);
  const following = command(t, ['decisions', '-f', '--json', '--limit', '1', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl));
  const agent = 'agent\u009b31m';
  await fetch(`${running.url}/public/%1b%5b31m?access_token=hidden`, { headers: { 'user-agent': agent } });
  await fetch(`${running.url}/public/1?access_token=hidden`, { headers: { 'user-agent': agent } });
  const { stdout } = await following.ended();
  t.notMatch(stdout, /hidden/);
  t.notMatch(stdout, STEERS);
});

t.test('decisions that the gateway left out are counted on standard error', async (t) => {
  const admin = await scriptedAdmin(t, [{ path: '/a' }], 7);
  const args = ['decisions', '--follow', '--limit', '1', '--admin', admin.url];
  const { status, stdout, stderr } = await command(t, args).ended();
  t.equal(status, 0);
  t.equal(linesOf(stdout).length, 1);
  t.match(stderr, '7 more decisions are not shown: each process of a gateway sends at most 200 a second');
});

t.test('in a burst, the printed decisions and the counted ones are all', async (t) => {
  const running = await watchable(t);
  const following = command(t, ['decisions', '-f', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl));
  const BURST = 150;
  await Promise.all(Array.from({ length: BURST }, () => fetch(`${running.url}/public/1`)));
  const left = () =>
    [...following.stderr().matchAll(/(\d+) more decisions? (?:is|are)/g)].map(([, count]) => Number(count));
  const all = () => left().reduce((sum, count) => sum + count, linesOf(following.stdout()).length);
  t.ok(await until(() => all() === BURST), String(all()));
});

t.test('several replicas: each line names its gateway, and one that breaks is followed again', async (t) => {
  const [one, two] = [await watchable(t), await watchable(t)];
  const wire = await cuttable(t, String(two.adminUrl));
  const args = ['--admin', String(one.adminUrl), '--admin', wire.url];
  const following = command(t, ['decisions', '--follow', ...args]);
  t.ok((await isWatched(one.adminUrl)) && (await isWatched(two.adminUrl)));
  const prints = (url: string, path: string) =>
    following.prints(path).then((found) => {
      t.ok(found, following.stdout() + following.stderr());
      const line = linesOf(following.stdout()).find((each) => each.includes(path));
      t.equal(line?.split(' ')[0], new URL(url).host);
    });
  await fetch(`${one.url}/public/1`);
  await fetch(`${two.url}/public/2`);
  await prints(String(one.adminUrl), '/public/1');
  await prints(wire.url, '/public/2');
  wire.cut();
  t.ok(await until(() => following.stderr().includes(`${wire.url}: `)), following.stderr());
  await fetch(`${one.url}/public/3`);
  await prints(String(one.adminUrl), '/public/3');
  wire.mend();
  t.ok(await until(() => following.stderr().includes(`${wire.url}: connected again`)), following.stderr());
  await fetch(`${two.url}/public/4`);
  await prints(wire.url, '/public/4');
  following.process.kill('SIGTERM');
  t.equal((await following.ended()).status, 0);
});

t.test('a gateway that was killed and started again is followed again, from its first decision', async (t) => {
  const upstream = await witness(t);
  const write = (folder: string, listeners: string) =>
    writeIn(folder, 'gateway.yaml', listeners + onePath(upstream.url, '"/a/{n}"'));
  const first = await servedFile(t, write);
  const config = ['--config', join(first.directory, 'gateway.yaml')];
  const following = command(t, ['decisions', '--follow', ...config]);
  t.ok(await isWatched(first.adminUrl));
  await fetch(`http://127.0.0.1:${first.port}/a/1`);
  t.ok(await following.prints('/a/1'));
  first.process.kill('SIGKILL');
  t.ok(await until(() => following.stderr().includes('Trying again')));
  const second = command(t, ['gateway', ...config]);
  t.ok(await second.prints('gateway is listening'), second.stderr());
  t.ok(await isWatched(first.adminUrl));
  await fetch(`http://127.0.0.1:${first.port}/a/2`);
  t.ok(await following.prints('/a/2'));
  t.match(following.stderr(), /^gatehouse: \S+: [^\n]+\. Trying again\ngatehouse: \S+: connected again\n$/);
});

t.test('a gateway that does not answer: 1 without --follow, and the others are printed', async (t) => {
  const running = await scriptedAdmin(t, [{ path: '/a' }]);
  const silent = `http://127.0.0.1:${await freePort()}`;
  const alone = await command(t, ['decisions', '--admin', silent]).ended();
  t.strictSame(alone, { status: 1, stdout: '', stderr: `gatehouse: ${silent}: nothing listens there\n` });
  const both = await command(t, ['decisions', '--admin', silent, '--admin', running.url]).ended();
  t.match(both, { status: 1, stdout: /\/a/, stderr: /nothing listens there/ });
  const trying = command(t, ['decisions', '--follow', '--admin', silent]);
  t.ok(await until(() => trying.stderr() !== ''));
  trying.process.kill('SIGINT');
  t.match(await trying.ended(), { status: 1, stdout: '', stderr: /nothing listens there\. Trying again\n$/ });
  const brief = await command(t, ['decisions', '--seconds', '1', '--admin', running.url]).ended();
  t.equal(brief.status, 0, 'it ends after --seconds');
});

t.test('with several workers, the decisions of all are printed, and --config finds the listener', async (t) => {
  const upstream = await witness(t);
  const running = await group(t, behind(upstream.url), 2);
  const config = ['--config', join(running.directory, 'gateway.yaml')];
  const following = command(t, ['decisions', '--follow', '--json', ...config]);
  t.ok(await isWatched(running.adminUrl));
  const whole = () => following.stdout().slice(0, following.stdout().lastIndexOf('\n') + 1);
  const workers = () => new Set(linesOf(whole()).map((line) => JSON.parse(line).process));
  const ask = async () => (await fetch(`${running.url}/public/1`, { headers: { connection: 'close' } })).ok;
  // The kernel gives connections that come one at a time to one worker.
  const asked = async () => (await Promise.all(Array.from({ length: 16 }, ask))).every(Boolean);
  t.ok(await until(async () => (await asked()) && workers().size === 2), following.stderr());
});

t.test('a reader that leaves, such as head, ends the command with 0 and without a word', async (t) => {
  const running = await watchable(t);
  const script = `"$0" "$1" decisions --follow --admin "$2" | head -1; echo "status \${PIPESTATUS[0]}"`;
  const shell = spawn('bash', ['-c', script, process.execPath, launcher, String(running.adminUrl)]);
  const printed = { stdout: '', stderr: '' };
  shell.stdout.on('data', (chunk) => (printed.stdout += String(chunk)));
  shell.stderr.on('data', (chunk) => (printed.stderr += String(chunk)));
  const closed = once(shell, 'close');
  t.ok(await isWatched(running.adminUrl));
  let isOver = false;
  void closed.then(() => (isOver = true));
  while (!isOver) {
    await fetch(`${running.url}/public/1`);
    // Slower than the rate at which the gateway leaves decisions out.
    await pause(50);
  }
  t.match(printed, { stdout: /^[^\n]+\/public\/1[^\n]+\nstatus 0\n$/, stderr: '' });
  t.equal(printed.stderr, '');
});
