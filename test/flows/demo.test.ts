import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { shellWord } from '../../src/base/shell-word.ts';
import { demoLanguages } from '../../src/demo/texts/languages.ts';
import { openTab } from '../authorization/browser/walk.ts';
import { walk } from '../authorization/openid/provider.ts';
import { violationsInEachLook } from '../support/axe.ts';
import { browserOf, skipWithoutBrowser as skip } from '../support/browser.ts';
import { type Command, command } from '../support/command.ts';
import { demoPorts } from '../support/demo-ports.ts';
import { until } from '../support/until.ts';
import { overflowing, watch } from '../support/watched-page.ts';

/** Starts programs, and drives a browser: 90 s on a busy machine. */
t.setTimeout(240_000);
const shell = promisify(execFile);
const openPage = browserOf(t);

async function hasCurl(): Promise<boolean> {
  return shell('curl', ['--version']).then(
    () => true,
    () => false,
  );
}

interface Running {
  readonly demo: Command;
  /** Lines to paste, as printed. */
  readonly commands: readonly string[];
  /** Addresses to open: the page, the login. */
  readonly opened: readonly [string, string];
}

/** As a user starts it, on free ports. */
async function run(t: Test): Promise<Running> {
  const demo = command(t, ['demo', ...(await demoPorts())]);
  t.teardown(async () => {
    demo.process.kill('SIGINT');
    await demo.ended();
  });
  t.ok(await demo.prints('Ctrl-C ends the demo'), demo.stderr());
  const [page = '', login = ''] = demo.stdout().match(/^ {4}http:.*$/gm) ?? [];
  return { demo, commands: commandsIn(demo.stdout()), opened: [page.trim(), login.trim()] };
}

/** A line with a command begins with a program, by its name or its path. */
function commandsIn(text: string): readonly string[] {
  const programs = ['    curl ', `    ${shellWord(process.execPath)} `];
  return text.split('\n').filter((line) => programs.some((program) => line.startsWith(program)));
}

/** As a user pastes it, in another folder. The first Node.js in PATH is a different one. */
async function paste(line: string): Promise<string> {
  const env = { ...process.env, PATH: `${otherNode}:${process.env.PATH}` };
  return (await shell('sh', ['-c', `${line} 2>&1`], { cwd: tmpdir(), env })).stdout;
}

const otherNode = t.testdir({ node: '#!/bin/sh\necho too old\nexit 1\n' });
chmodSync(join(otherNode, 'node'), 0o755);

t.test('the printed commands of the demo work unchanged, and Ctrl-C ends it', async (t) => {
  if (!(await hasCurl())) {
    t.plan(0, 'curl is not installed');
    return;
  }
  const { demo, commands } = await run(t);
  t.equal(commands.length, 9);
  const [asked = '', refused = '', why = '', forbidden = '', explain = '', passed = '', revoked = '', ...last] =
    commands;
  const [live = '', login = ''] = last;
  t.match(await paste(asked), '"access_token"');
  t.match(await paste(refused), 'HTTP/1.1 401');
  t.match(
    await paste(why),
    /^401 credential_missing {3}GET 127\.0\.0\.1:\d+\/orders\/7\n.*\n(.*\n)+ *route +orders-read +\S+gateway\.yaml:\d+\n/,
  );
  t.match(await paste(forbidden), 'HTTP/1.1 403');
  t.match(await paste(explain), /403 scope_insufficient/);
  const good = await paste(passed);
  t.match(good, 'HTTP/1.1 200');
  t.match(good, '"token_seen":false');
  // A busy machine may take longer than the second for which the line waits, so the test may paste it again.
  let answer = '';
  for (let pasted = 0; pasted < 10 && !answer.includes('token_revoked'); pasted++) answer = await paste(revoked);
  t.match(JSON.parse(answer), { status: 401, code: 'token_revoked' });
  await decidesLive(t, live, refused);
  await signsIn(t, login, passed);
  demo.process.kill('SIGINT');
  t.equal((await demo.ended()).status, 0);
});

/** The stream continues until its reader leaves. */
async function decidesLive(t: Test, live: string, request: string): Promise<void> {
  const reader = spawn('sh', ['-c', `exec ${live.trim()}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => reader.kill());
  let shown = '';
  reader.stdout.on('data', (chunk) => (shown += String(chunk)));
  t.ok(await until(() => shown.includes('from here on'), 30_000), shown);
  await paste(request);
  t.ok(await until(() => /^data: .*"code":"credential_missing"/m.test(shown), 30_000), shown);
  reader.kill();
}

const noScreen = { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' };

/** The user follows the printed address; the token then passes in place of the one that the demo printed. */
async function signsIn(t: Test, login: string, passed: string): Promise<void> {
  const child = spawn('sh', ['-c', `exec ${login.trim()}`], { env: { ...process.env, ...noScreen } });
  t.teardown(() => child.kill());
  const ended = once(child, 'close');
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  t.ok(await until(() => err.includes('The answer comes to')), err);
  const address = new URL(/^ {2}(http\S+)$/m.exec(err)?.[1] ?? '');
  const { location } = await walk(openTab({ url: address.origin }), address.href);
  await (await fetch(location ?? '')).text();
  await ended;
  t.match(err, 'Signed in as Alice Liddell (sub alice).\nScope: openid profile orders.read orders.write\n');
  const good = await paste(passed.replace(/Bearer [^']+/, `Bearer ${out.trim()}`));
  t.match(good, /HTTP\/1\.1 200[\s\S]*"subject":"alice","client":"cli"/);
}

const hasTerminal = spawnSync('script', ['--version']).status === 0;

t.test(
  'on a terminal the log has one line for each request, so that the lines to paste stay visible',
  { skip: hasTerminal ? false : 'script (util-linux) is not installed' },
  async (t) => {
    const ports = await demoPorts();
    const line = [
      process.execPath,
      fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url)),
      'demo',
      ...ports,
    ];
    const terminal = spawn('script', ['--quiet', '--flush', '--command', line.join(' '), '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.teardown(() => terminal.kill('SIGKILL'));
    const ended = once(terminal, 'close');
    let shown = '';
    terminal.stdout.on('data', (chunk) => (shown += String(chunk)));
    t.ok(await until(() => shown.includes('Ctrl-C ends the demo'), 60_000), shown);
    const gateway = `http://127.0.0.1:${ports[ports.indexOf('--gateway') + 1]}`;
    await (await fetch(`${gateway}/orders/7`)).text();
    await (await fetch(`${gateway}/health?secret=1`)).text();
    t.ok(await until(() => /^GET \/health .*ms\r$/m.test(shown), 30_000), shown);
    t.match(shown, /^GET \/orders\/7 401 credential_missing \d+ ms\r$/m);
    t.match(shown, /^POST token 200 shop \d+ ms\r$/m);
    const after = shown.slice(shown.indexOf('Ctrl-C ends the demo')).split('\r\n').slice(2, -1);
    for (const each of after) t.match(each, /^[A-Z]+ \S+ .*\d+ ms$/);
    t.notMatch(shown, 'secret=1');
    terminal.stdin.write('\x03');
    await ended;
    t.notMatch(shown, /^ {4}at /m);
  },
);

t.test('every address that the demo prints answers', async (t) => {
  const { demo } = await run(t);
  const commands = commandsIn(demo.stdout());
  const indented = demo.stdout().match(/^ {4}.*$/gm) ?? [];
  const lines = indented.filter((line) => !commands.includes(line));
  const addresses = lines.flatMap((line) => /http:\S+/.exec(line) ?? []);
  t.equal(addresses.length, 7);
  for (const address of addresses) t.equal((await fetch(address)).status, 200, address);
});

/** With the printed name and password. */
async function signIn(page: Page, { demo }: Running): Promise<void> {
  const [, name = '', password = ''] = /The user is (\w+), and the password is (\w+)/.exec(demo.stdout()) ?? [];
  await page.locator('#username').fill(name);
  await page.locator('#password').fill(password);
  await page.locator('button[type=submit]').click();
}

const allDone = ['Redirect', 'Consent', 'Code', 'Token', 'API'].map((step) => `${step} done`);

const status = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

t.test('the client page of the demo: sign in, consent, token, and the API answers the token', { skip }, async (t) => {
  const here = await run(t);
  const page = await openPage(t);
  const complaints: string[] = [];
  page.on('pageerror', (error) => void complaints.push(error.message));
  await page.goto(here.opened[0].replace('127.0.0.1', 'localhost'));
  await page.waitForURL(here.opened[0]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, here);
  await page.locator('button[value=allow]').click();
  await status(page, 'GET /orders/7: 200');
  const scope = 'openid profile orders.read orders.write';
  t.equal(await page.locator('#scope').innerText(), scope);
  t.match(JSON.parse(await page.locator('#answer').innerText()), {
    id: 7,
    asked_by: { subject: 'alice', client: 'page', scope, token_seen: false },
  });
  t.equal(await page.locator('#name').innerText(), 'Alice Liddell');
  t.equal(await page.locator('#sub').innerText(), 'alice');
  t.equal(page.url(), here.opened[0], 'the code is not in the address any more');
  t.notOk(await page.getByRole('button', { name: 'Sign in' }).isVisible(), 'signed in already');
  await page.getByRole('button', { name: '401' }).click();
  await status(page, 'GET /orders/7: 401');
  await page.getByRole('button', { name: '403' }).click();
  await status(page, 'DELETE /orders: 403');
  t.match(await page.locator('#answer').innerText(), /^\{\n {2}"/, 'the JSON is indented');
  await page.getByRole('button', { name: '204' }).click();
  await status(page, 'DELETE /orders/8: 204');
  t.equal(await page.locator('#answer').innerText(), 'The answer has no body.');
  t.strictSame(await page.locator('.steps h3').allInnerTexts(), allDone);
  t.strictSame(complaints, []);
});

t.test(
  'the API refuses a scope that was left out, and nothing is granted if the user denies all',
  { skip },
  async (t) => {
    const here = await run(t);
    const page = await openPage(t);
    await page.goto(here.opened[0]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, here);
    for (const scope of ['orders.write', 'profile']) await page.locator(`input[value="${scope}"]`).uncheck();
    await page.locator('button[value=allow]').click();
    await status(page, 'GET /orders/7: 200');
    t.equal(await page.locator('#scope').innerText(), 'openid orders.read');
    t.equal(await page.locator('#name').innerText(), 'alice', 'without profile there is no name');
    await page.getByRole('button', { name: 'DELETE /orders/8' }).click();
    await status(page, 'DELETE /orders/8: 403');
    t.match(JSON.parse(await page.locator('#answer').innerText()), { code: 'scope_insufficient' });

    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('button[value=deny]').click();
    await page.getByRole('alert').waitFor();
    t.match(await page.getByRole('alert').innerText(), /^access_denied/);
    t.match((await page.locator('.steps h3').allInnerTexts())[1], 'Consent failed');
    t.notOk(await page.locator('#granted').isVisible());
  },
);

t.test(
  'after “Sign out” the API refuses the token, and the next sign-in asks for the password',
  { skip },
  async (t) => {
    const here = await run(t);
    const page = await openPage(t);
    const complaints: string[] = [];
    page.on('pageerror', (error) => void complaints.push(error.message));
    await page.goto(here.opened[0]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, here);
    await page.locator('button[value=allow]').click();
    await status(page, 'GET /orders/7: 200');

    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('button[value=allow]').click();
    await status(page, 'GET /orders/7: 200');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await status(page, 'GET /orders/7: 401');
    t.match(JSON.parse(await page.locator('#answer').innerText()), { code: 'token_revoked' });
    t.equal(page.url(), here.opened[0]);
    t.notOk(await page.locator('#granted').isVisible());

    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, here);
    await page.locator('button[value=allow]').click();
    await status(page, 'GET /orders/7: 200');
    t.strictSame(complaints, []);
  },
);

t.test('the client page shows no sign-out that it did not ask for', { skip }, async (t) => {
  const here = await run(t);
  const page = await openPage(t);
  await page.goto(`${here.opened[0]}signed-out?state=other`);
  await page.getByRole('alert').waitFor();
  t.match(await page.getByRole('alert').innerText(), /state/);
  t.notOk(await page.locator('#gone').isVisible());
});

t.test('the client page redeems no code of an answer that is not its own', { skip }, async (t) => {
  const here = await run(t);
  const [home] = here.opened;
  const page = await openPage(t);
  const sent: string[] = [];
  page.on('request', (request) => void sent.push(request.url()));
  const issuer = new URL(here.opened[1]).origin;
  const asked = JSON.stringify({ state: 'the-state', verifier: 'the-verifier-of-the-request-is-long-enough' });
  for (const { kept, answer, told } of [
    { kept: undefined, answer: { state: 'the-state', iss: issuer }, told: /state/ },
    { kept: asked, answer: { state: 'other', iss: issuer }, told: /state/ },
    { kept: asked, answer: { state: 'the-state', iss: 'https://other.example' }, told: /iss/ },
    { kept: asked, answer: { state: 'the-state' }, told: /iss/ },
  ]) {
    await page.goto(home);
    if (kept !== undefined) await page.evaluate((text) => sessionStorage.setItem('request', text), kept);
    await page.goto(`${home}callback?${new URLSearchParams({ code: 'a-code', ...answer })}`);
    await page.getByRole('alert').waitFor();
    t.match(await page.getByRole('alert').innerText(), told);
  }
  t.strictSame(
    sent.filter((url) => url.startsWith(issuer)),
    [],
  );
});

/** The answers that the page shows, in the order of the walk. */
const answers = ['GET /orders/7: 200', 'DELETE /orders: 403', 'DELETE /orders/8: 204'];

for (const { lang, document, script } of demoLanguages)
  t.test(
    `the client page is accessible and fits in each state, breaks no policy, and asks nobody else: ${lang}`,
    { skip },
    async (t) => {
      const here = await run(t);
      const [home, login] = here.opened;
      const page = await openPage(t, { locale: `${lang}-AT` });
      const gateway = /gateway +(http:\S+)\/health/.exec(here.demo.stdout())?.[1] ?? '';
      const watched = await watch(
        page,
        [home, login, gateway].map((url) => new URL(url).origin),
      );
      const looksGood = async (state: string) => {
        t.strictSame(await violationsInEachLook(page), [], state);
        t.strictSame(await overflowing(page), [], state);
      };
      await page.goto(home);
      await page.locator('#sign-in:enabled').waitFor();
      t.equal(await page.getAttribute('html', 'lang'), lang);
      t.equal(await page.locator('h1').innerText(), document.title);
      await looksGood('before');
      await page.getByRole('button', { name: document.signIn, exact: true }).click();
      await signIn(page, here);
      await page.locator('button[value=allow]').click();
      for (const answer of answers) {
        const [request = '', code = ''] = answer.split(': ');
        if (code !== '200') await page.getByRole('button', { name: `${code}: ${request}` }).click();
        await status(page, answer);
        t.equal(await page.locator('#meaning').innerText(), script.meanings[Number(code) as 200]);
        await looksGood(answer);
      }
      const steps = Object.values(document.steps).map(({ name }) => `${name} ${script.states.done}`);
      t.strictSame(await page.locator('.steps h3').allInnerTexts(), steps);
      await page.getByRole('button', { name: document.signOut, exact: true }).click();
      await page.getByText(document.gone).waitFor();
      await status(page, 'GET /orders/7: 401');
      await looksGood('signed out');
      await page.goto(`${home}signed-out?state=other`);
      await page.getByText(script.faults.signOut).waitFor();
      await looksGood('refused');
      t.strictSame(watched.faults, []);
      t.equal(watched.reports(), 0);
    },
  );

t.test('the printed login address shows the login, and then the apps with access', { skip }, async (t) => {
  const here = await run(t);
  const page = await openPage(t);
  await page.goto(here.opened[1]);
  await signIn(page, here);
  await page.waitForURL('**/oauth2/account');
  t.equal(await page.locator('#password').count(), 0);
});
