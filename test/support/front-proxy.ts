import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { textOf } from '../docs/cookbook.ts';
import { freePort } from './free-port.ts';
import { connectTo } from './raw-client.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** Address in a page of the cookbook → its address in this test. */
export type Addresses = Readonly<Record<string, string>>;

export interface FrontProxy {
  readonly port: number;
  /** Its output. */
  log(): string;
}

/** The path of a program. Debian keeps servers outside of the PATH of users. */
export function programAt(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** The only block of this language on a page that begins with `head`, with the addresses of the test. */
export function blockOf(page: string, language: string, addresses: Addresses, head = ''): string {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  const blocks = [...textOf(page).matchAll(fence)].filter(([, text]) => text?.startsWith(head));
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks of ${language} ${head}`);
  let text = blocks[0]?.[1] ?? '';
  for (const [shown, real] of Object.entries(addresses)) {
    if (!text.includes(shown)) throw new Error(`${page} does not say ${shown}`);
    text = text.replaceAll(shown, real);
  }
  return text;
}

/** nginx with what the page shows inside `http`. */
export async function nginx(t: Test, page: string, addresses: Addresses): Promise<FrontProxy> {
  const directory = temporaryFolder(t);
  const cache = { '/dev/shm/gatehouse': join(directory, 'cache') };
  return startNginx(t, directory, (listening) => blockOf(page, 'nginx', { ...listening, ...cache, ...addresses }));
}

/** nginx with the test's own text inside `http`. Its server listens at 80. */
export function nginxOf(t: Test, text: string): Promise<FrontProxy> {
  return startNginx(t, temporaryFolder(t), (listening) => {
    return Object.entries(listening).reduce((told, [shown, real]) => told.replaceAll(shown, real), text);
  });
}

const shipped = fileURLToPath(new URL('../../config/nginx/', import.meta.url));

/** nginx with our shipped files, included by the server that the page shows; `gatehouse`: the decision endpoint. */
export async function nginxOfFiles(
  t: Test,
  page: string,
  own: Addresses,
  gatehouse: string,
  block = 'conf',
): Promise<FrontProxy> {
  const directory = temporaryFolder(t);
  mkdirSync(join(directory, 'gatehouse'));
  for (const name of readdirSync(shipped)) {
    const text = readFileSync(join(shipped, name), 'utf8');
    const placed = text.replace('/dev/shm/gatehouse', join(directory, 'cache')).replace('127.0.0.1:8082', gatehouse);
    writeFileSync(join(directory, 'gatehouse', name), placed);
  }
  return startNginx(t, directory, (listening) => blockOf(page, block, { ...listening, ...own }));
}

async function startNginx(t: Test, directory: string, shown: (listening: Addresses) => string): Promise<FrontProxy> {
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  );
  const file = join(directory, 'nginx.conf');
  // nginx would drop the rights of root, and only root can open the folder.
  const user = process.getuid?.() === 0 ? 'user root; ' : '';
  writeFileSync(
    file,
    [
      `${user}daemon off; pid ${join(directory, 'pid')}; error_log stderr info; worker_processes 1;`,
      'events { }',
      `http { access_log off; ${temporary.join(' ')}`,
      shown({ 'listen 80;': `listen 127.0.0.1:${port};` }),
      '}',
    ].join('\n'),
  );
  return started(t, port, spawn(programAt('nginx') ?? 'nginx', ['-c', file, '-e', 'stderr'], { stdio: 'pipe' }));
}

/** Caddy with the file that the page shows. */
export async function caddy(t: Test, page: string, addresses: Addresses): Promise<FrontProxy> {
  const directory = temporaryFolder(t);
  const port = await freePort();
  const file = join(directory, 'Caddyfile');
  const own = `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${directory}\n}\n`;
  const shown = blockOf(page, 'caddyfile', { 'api.example.com {': `http://api.example.com:${port} {`, ...addresses });
  writeFileSync(file, own + shown);
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const args = ['run', '--config', file, '--adapter', 'caddyfile'];
  return started(t, port, spawn(programAt('caddy') ?? 'caddy', args, { stdio: 'pipe', env }));
}

/** A program that listens at a port, and ends after the test; `deadline`: milliseconds, for a program that hangs. */
export async function started(t: Test, port: number, child: ChildProcess, deadline = 30_000): Promise<FrontProxy> {
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)));
  const over = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await over;
  });
  let isUp = false;
  const knock = async () => {
    while (!isUp && child.exitCode === null)
      await connectTo(port).then(
        (client) => {
          isUp = true;
          client.destroy();
        },
        () => new Promise((next) => setTimeout(next, 20)),
      );
  };
  void knock();
  if (!(await until(() => isUp || child.exitCode !== null, deadline)) || !isUp) {
    throw new Error(`it does not listen: ${printed.join('')}`);
  }
  return { port, log: () => printed.join('') };
}
