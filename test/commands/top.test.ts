import { constants } from 'node:os';
import t, { type Test } from 'tap';
import { command } from '../support/command.ts';
import { cuttable } from '../support/cuttable.ts';
import { freePort } from '../support/free-port.ts';
import { behind, gateway } from '../support/gateway.ts';
import { inTerminal, noPseudoTerminal, type TerminalCommand } from '../support/pseudo-terminal.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { EVIL, isWatched, refusingAdmin, STEERS, scriptedAdmin } from './live-admin.ts';

/** Starts the program for each command, which draws once a second: 100 s beside other tests on a busy machine. */
t.setTimeout(240_000);

async function watchable(t: Test) {
  const { url } = await witness(t);
  return gateway(t, behind(url, { admin: '127.0.0.1:0' }));
}

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const inPty = { skip: noPseudoTerminal };

/** The terminal is as it was, and what comes after the view is on the normal screen. */
async function isRestored(t: Test, top: TerminalCommand, status: number) {
  t.strictSame(await top.ended(), { status, restored: true });
  t.equal(top.written().split(ENTER).length, 2, 'it takes the screen once');
  t.equal(top.written().split(LEAVE).length, 2, 'it gives the screen back once');
  t.ok(top.written().indexOf(LEAVE) > top.written().lastIndexOf('\u001b[H'), 'it draws nothing after that');
}

t.test('--once prints one summary: rates, routes, codes and clients', async (t) => {
  const passed = { route: 'books', client: 'shop', code: 'forwarded', status: 200 };
  const refused = { ...passed, client: 'kiosk', code: 'scope_insufficient', status: 403 };
  const failed = { ...passed, route: 'slow', status: 502 };
  const totals = { passed: 20, refused: 1, failed: 1 };
  const admin = await scriptedAdmin(t, [passed, passed, refused, failed], 18, totals);
  const args = ['top', '--once', '--seconds', '1', '--admin', admin.url];
  const { status, stdout, stderr } = await command(t, args).ended();
  t.strictSame([status, stderr], [0, '']);
  t.match(
    stdout,
    /^127\.0\.0\.1:\d+: the last \d+ seconds?\npassed +\d+\.\d\/s\nrefused +\d\.\d\/s\nfailed +\d\.\d\/s\n/,
  );
  t.match(stdout, /^route +requests {2}refused {2}failed\nbooks +3 +1 +0\nslow +1 +0 +1$/m);
  t.match(stdout, /^client +requests {2}refused {2}failed\nshop +3 +0 +1\nkiosk +1 +1 +0$/m);
  t.match(stdout, /^code +requests\nscope_insufficient +1\nupstream 502 +1$/m);
  t.match(stdout, 'The tables count 4 requests. The gateways left out 18 more, which only the rates count.');
  const { rates, time, ...rest } = JSON.parse((await command(t, [...args, '--json', 'route:books']).ended()).stdout);
  t.ok(rates.passed > 0 && rates.refused > 0 && time > 0);
  t.match(rest, { filter: 'route:books', described: 4, left_out: 18, gateways: [{ state: 'connected' }] });
  t.strictSame(rest.routes, [
    { route: 'books', requests: 3, refused: 1, failed: 0 },
    { route: 'slow', requests: 1, refused: 0, failed: 1 },
  ]);
  t.strictSame(rest.codes[0], { code: 'scope_insufficient', requests: 1 });
});

t.test('--json prints a summary each second, whose rates do not depend on the filter', async (t) => {
  const running = await watchable(t);
  const top = command(t, ['top', '--json', 'route:public', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl));
  for (const path of ['/public/1', '/public/2', '/orders/1']) await fetch(running.url + path);
  const last = () => JSON.parse(top.stdout().trimEnd().split('\n').at(-2) ?? '{}');
  t.ok(await until(() => last().described === 2 && last().rates.refused > 0), top.stdout());
  t.match(last(), { routes: [{ route: 'public', requests: 2, refused: 0 }], clients: [{ client: '127.0.0.1' }] });
});

t.test('without a terminal it prints one line a second, and ends with its reader or at Ctrl-C', async (t) => {
  const running = await watchable(t);
  const top = command(t, ['top', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl));
  await fetch(`${running.url}/orders/1`);
  t.ok(await top.prints('routes orders 1  codes credential_missing 1'), top.stdout());
  t.ok(await until(() => top.stdout().split('\n').length > 3));
  t.match(top.stdout(), /^passed \d\.\d\/s {2}refused \d\.\d\/s {2}failed 0\.0\/s/);
  t.notMatch(top.stdout(), STEERS);
  top.process.kill('SIGINT');
  t.match(await top.ended(), { status: 0, stderr: '' });
});

t.test('a gateway that does not answer, or refuses, is reported: 1 if there is no other', async (t) => {
  const [refuses, silent] = [await refusingAdmin(t, 401), `http://127.0.0.1:${await freePort()}`];
  const refused = await command(t, ['top', '--admin', refuses.url]).ended();
  t.match(refused, { status: 1, stdout: '', stderr: 'requires a login' });
  const never = await command(t, ['top', '--once', '--seconds', '1', '--admin', silent]).ended();
  t.match(never, { status: 1, stdout: '', stderr: 'nothing listens there' });
  const other = await scriptedAdmin(t, []);
  const both = ['--admin', silent, '--admin', other.url];
  const one = await command(t, ['top', '--once', '--seconds', '1', ...both]).ended();
  t.match(one, { status: 0, stdout: /nothing listens there/, stderr: 'nothing listens there' });
});

t.test('the view shows rates, tables and the newest decisions, and q gives the terminal back', inPty, async (t) => {
  const running = await watchable(t);
  const top = inTerminal(t, ['top', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl));
  for (const path of ['/public/1', '/public/2', '/orders/7?q=hidden']) await fetch(running.url + path);
  t.ok(await top.shows(/public +2 +0 +0 +credential_missing +1 +127\.0\.0\.1 +3 +1/), top.lines().join('\n'));
  t.ok(await top.shows(/passed +\d\.\d\/s +\d\.\d\/s avg +█/), top.lines().join('\n'));
  t.match(top.lines().join('\n'), /401 GET +\/orders\/7 +credential_missing .*\n\d.*200 GET +\/public\/2 +public/);
  t.notMatch(top.written(), 'hidden');
  top.send('q');
  await isRestored(t, top, 0);
});

t.test('p pauses, f shows only refusals, and / changes the filter', inPty, async (t) => {
  const running = await watchable(t);
  const top = inTerminal(t, ['top', 'method:GET', '--admin', String(running.adminUrl)]);
  t.ok(await isWatched(running.adminUrl));
  for (const path of ['/public/1', '/orders/1']) await fetch(running.url + path);
  t.ok(await top.shows(/GET +\/orders\/1/));
  top.send('f');
  t.ok(await top.shows((lines) => /only refusals/.test(String(lines[0])) && !/\/public\/1/.test(lines.join('\n'))));
  top.send('fp');
  t.ok(await top.shows((lines) => /paused/.test(String(lines[0])) && /\/public\/1/.test(lines.join('\n'))));
  await fetch(`${running.url}/public/2`);
  const frames = () => top.written().split('\u001b[H').length;
  const before = frames();
  t.ok(await until(() => frames() > before + 2));
  t.notMatch(top.lines().join('\n'), '/public/2');
  top.send('p');
  t.ok(await top.shows(/\/public\/2/), 'the decisions of the pause are there');
  top.send('/\u0015stauts:2xx\r');
  t.ok(await top.shows(/did you mean `status`/), 'a filter that cannot be read stays, with the reason');
  top.send('\u0015status:2xy\u007fx\r');
  t.ok(await top.shows((lines) => /filter status:2xx/.test(String(lines[0]))), top.lines().join('\n'));
  t.ok(await isWatched(running.adminUrl), 'the stream with the old filter is closed');
  for (const path of ['/public/3', '/orders/3']) await fetch(running.url + path);
  t.ok(await top.shows(/\/public\/3/));
  t.notMatch(top.lines().join('\n'), /\/orders\/3|\/public\/2/);
  top.send('/x\u001b');
  t.ok(await top.shows((lines) => /filter status:2xx/.test(String(lines[0])) && /q quit/.test(String(lines.at(-1)))));
  top.send('\u001b[Aq');
  top.send('q');
  await isRestored(t, top, 0);
});

t.test('the view fits the window, and follows its size', inPty, async (t) => {
  const admin = await scriptedAdmin(t, [{ path: `/${'x'.repeat(500)}`, code: 'forwarded', status: 200 }]);
  const top = inTerminal(t, ['top', '--admin', admin.url], { rows: 24, columns: 130 });
  const fits = (rows: number, columns: number) =>
    top.shows((lines) => lines.length === rows && lines.every(({ length }) => length <= columns));
  t.ok((await fits(24, 130)) && (await top.shows(/xxxx…/)));
  for (const [rows, columns] of [
    [15, 60],
    [50, 200],
  ] as const) {
    top.resize(rows, columns);
    t.ok(await fits(rows, columns), `${rows}×${columns}`);
    t.ok((await top.shows(/q quit/)) && (await top.shows(/ROUTES .*CODES .*CLIENTS/)));
  }
  top.resize(10, 40);
  t.ok((await fits(10, 40)) && (await top.shows(/The window needs 60×15/)));
  top.send('\u0003');
  await isRestored(t, top, 0);
});

t.test('no text of a decision controls the terminal, or adds a line', inPty, async (t) => {
  const text = { method: EVIL, path: EVIL, code: EVIL, route: EVIL, client: EVIL };
  const admin = await scriptedAdmin(t, [text, { ...text, code: 'forwarded', shadow: EVIL }]);
  const top = inTerminal(t, ['top', '--admin', admin.url], { rows: 30, columns: 150 });
  t.ok(await top.shows(/x�::error::pwn��\[31m�2J�evil/), top.lines().join('\n'));
  t.equal(top.lines().length, 30);
  for (const line of top.lines()) t.notMatch(line, STEERS);
  top.send('q');
  await isRestored(t, top, 0);
});

t.test('a signal and a failure of the program give the terminal back', inPty, async (t) => {
  const admin = await scriptedAdmin(t, [{ route: 'books', code: 'forwarded' }]);
  const fails = `process.on('SIGUSR2', () => { throw new Error('broken inside') })`;
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(fails)}`];
  const { SIGTERM, SIGHUP, SIGUSR2 } = constants.signals;
  for (const [signal, status] of [
    [SIGTERM, 0],
    [SIGHUP, 0],
    [SIGUSR2, 1],
  ] as const) {
    const top = inTerminal(t, ['top', '--admin', admin.url], { flags });
    t.ok(await top.shows(/books/));
    top.signal(signal);
    await isRestored(t, top, status);
    if (signal === SIGUSR2) t.match(top.written().split(LEAVE)[1], 'broken inside', 'the reason stays readable');
  }
});

t.test('several replicas are counted together, and one that breaks is named until it is back', inPty, async (t) => {
  const [one, two] = [await watchable(t), await watchable(t)];
  const wire = await cuttable(t, String(two.adminUrl));
  const args = ['--admin', String(one.adminUrl), '--admin', wire.url];
  const top = inTerminal(t, ['top', ...args], { columns: 140 });
  t.ok((await isWatched(one.adminUrl)) && (await isWatched(two.adminUrl)));
  for (const { url } of [one, two]) await fetch(`${url}/public/1`);
  t.ok(await top.shows(/public +2 +0/), top.lines().join('\n'));
  wire.cut();
  const name = new URL(wire.url).host;
  t.ok(await top.shows((lines) => String(lines[0]).includes(`${name}: the connection broke`)), String(top.lines()[0]));
  await fetch(`${one.url}/public/2`);
  t.ok(await top.shows(/public +3 +0/));
  wire.mend();
  t.ok(await top.shows((lines) => !String(lines[0]).includes('broke')), String(top.lines()[0]));
  await fetch(`${two.url}/public/3`);
  t.ok(await top.shows(/public +4 +0/), top.lines().join('\n'));
  top.send('q');
  await isRestored(t, top, 0);
});

t.test('colors are only for a terminal, and NO_COLOR removes them', inPty, async (t) => {
  const admin = await scriptedAdmin(t, [{ path: '/a', code: 'forwarded', status: 200 }]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of the terminal
  const COLOR = /\u001b\[\d+m/;
  for (const [env, hasColor] of [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ] as const) {
    const shown = inTerminal(t, ['decisions', '--admin', admin.url], { env });
    t.match(await shown.ended(), { status: 0 });
    t.equal(COLOR.test(shown.written()), hasColor);
    t.match(shown.written(), '/a');
  }
  const piped = await command(t, ['decisions', '--admin', admin.url]).ended();
  t.notMatch(piped.stdout, COLOR);
});
