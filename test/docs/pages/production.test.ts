import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '../../support/free-port.ts';
import { programAt } from '../../support/front-proxy.ts';
import { connectTo } from '../../support/raw-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Block, blocksOf, root } from './blocks.ts';
import { follow, skipWithout } from './follow.ts';
import type { Followed } from './place.ts';
import { statementsOf } from './statements.ts';
import { settingsOf } from './units.ts';

/** Starts programs and many commands: 16 s beside a whole test run. */
t.setTimeout(120_000);

const page = 'docs/production.md';
const skip = skipWithout() || (programAt('nginx') === undefined && 'not installed: nginx');

/** One certificate authority for both names of the page, and a curl that finds them on this machine. */
function certificates(directory: string, ports: Readonly<Record<'api' | 'auth', number>>, curlHome: string): void {
  mkdirSync(join(directory, 'tls'));
  for (const name of ['api', 'auth']) {
    const [key, cert] = [join(directory, `tls/${name}.key`), join(directory, `tls/${name}.crt`)];
    const subject = ['-subj', `/CN=${name}.example.com`, '-addext', `subjectAltName=DNS:${name}.example.com`];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const { status, stderr } = spawnSync('openssl', [...made, ...subject, '-keyout', key, '-out', cert]);
    if (status !== 0) throw new Error(String(stderr));
  }
  const all = ['api', 'auth'].map((name) => readFileSync(join(directory, `tls/${name}.crt`), 'utf8')).join('');
  writeFileSync(join(curlHome, 'all.crt'), all);
  const leads = Object.entries(ports).map(([name, port]) => `connect-to = "${name}.example.com:443:127.0.0.1:${port}"`);
  writeFileSync(join(curlHome, '.curlrc'), [...leads, `cacert = "${join(curlHome, 'all.crt')}"`, ''].join('\n'));
}

/** nginx with the server in the page, until the test ends. */
async function serveByNginx({ text }: Block, { t, directory, moved }: Followed, port: number): Promise<void> {
  const own = join(directory, 'nginx');
  mkdirSync(own);
  const shown = moved(text)
    .replace('listen 192.0.2.11:443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll(' tls/', ` ${directory}/tls/`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${own}/${name};`,
  );
  const user = process.getuid?.() === 0 ? 'user root; ' : '';
  const head = `${user}daemon off; pid ${own}/pid; error_log stderr warn; worker_processes 1; events { }`;
  writeFileSync(join(own, 'nginx.conf'), `${head}\nhttp { access_log off; ${places.join(' ')}\n${shown}}\n`);
  const child = spawn(programAt('nginx') ?? 'nginx', ['-c', join(own, 'nginx.conf'), '-e', 'stderr'], {
    stdio: 'inherit',
  });
  const over = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await over;
  });
  for (let left = 200; left > 0; left--) {
    const client = await connectTo(port).catch(() => undefined);
    client?.destroy();
    if (client !== undefined) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error('nginx does not listen');
}

/**
 * Statements for an installation need their own machine. Here they are checked for completeness, and that the files
 * they name exist.
 */
function installs({ text, place }: Block, { t }: Followed): void {
  t.ok(statementsOf(text).length > 0, place);
  const stages =
    readFileSync(join(root, 'Dockerfile'), 'utf8').match(/(?<=^FROM .* AS )\w+$/gm) ?? ([] as readonly string[]);
  for (const [, target = '', image] of text.matchAll(/docker build --target (\w+) -t (\S+) \.$/gm)) {
    t.ok(stages.includes(target), `${place}: ${target} is a stage of the Dockerfile`);
    t.match(text, new RegExp(`^docker run .* ${image}$`, 'm'), `${place}: ${image} is run`);
  }
}

t.test('every block of the page does what it says', { skip }, async (t) => {
  const curlHome = temporaryFolder(t);
  const ports = { api: await freePort(), auth: await freePort() };
  await follow(t, page, {
    env: { CURL_HOME: curlHome },
    replaced: { 'host: 192.0.2.10, port: 443': `host: 127.0.0.1, port: ${ports.api}` },
    prepare: (directory) => certificates(directory, ports, curlHome),
    more: { bash: installs, nginx: (block, followed) => serveByNginx(block, followed, ports.auth) },
  });
});

t.test('systemd waits longer for a stop than the programs of the page need', async (t) => {
  const blocks = blocksOf(page);
  const units = blocks.filter(({ language }) => language === 'ini');
  t.equal(units.length, 2);
  const deadlines = blocks.flatMap(({ text }) => /^shutdown: \{ deadline: (\d+)s \}$/m.exec(text)?.[1] ?? []);
  t.strictSame(deadlines.length, 2);
  for (const { text } of units) {
    const stop = settingsOf(text).find(({ key }) => key === 'TimeoutStopSec');
    for (const deadline of deadlines) t.ok(Number(stop?.value) > Number(deadline));
  }
});

t.test('the units start commands of Gatehouse that exist, with files of the page', async (t) => {
  const blocks = blocksOf(page);
  const files = blocks.flatMap(({ text }) => /^# (\S+\.yaml)\n/.exec(text)?.[1] ?? []);
  for (const { text } of blocks.filter(({ language }) => language === 'ini'))
    for (const { key, value } of settingsOf(text))
      if (key === 'ExecStart' || key === 'ExecStartPre') {
        const [program = '', , ...rest] = value.split(' ');
        t.match(program, /\/bin\/gatehouse\.js$/);
        t.ok(files.includes(rest.at(-1) ?? ''), value);
      }
});
