import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './children.ts';
import { type Place, port } from './place.ts';

/** Who is measured. Several may be one program, asked at different places. */
export interface Contender {
  readonly name: string;
  readonly program: Program;
  readonly url: string;
  readonly token: keyof Place['tokens'];
}

export type Program = 'gatehouse' | 'floor' | 'http-proxy' | 'nginx' | 'apache';

const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));
const apache = '/usr/sbin/apache2';
const openidc = '/usr/lib/apache2/modules/mod_auth_openidc.so';

/** How each program is started in the foreground; the upstream goes by the same rules and is not measured. */
export const commands: Readonly<Record<Program | 'upstream', (place: Place) => Command>> = {
  upstream: ({ folder }) => nginx(folder, 'upstream.conf', [9000]),
  gatehouse: ({ folder }) => ({
    file: process.execPath,
    args: [launcher, 'gateway', '--config', join(folder, 'gateway.yaml')],
    ports: [port],
  }),
  floor: ({ scripts }) => script(join(scripts, 'floor.mjs'), 9103),
  'http-proxy': ({ scripts }) => script(join(scripts, 'http-proxy.mjs'), 9101),
  nginx: ({ folder }) => nginx(folder, 'nginx.conf', [9001, 9002]),
  apache: ({ folder }) => ({ file: apache, args: ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], ports: [9201] }),
};

function nginx(folder: string, name: string, ports: readonly number[]): Command {
  return { file: 'nginx', args: ['-p', folder, '-c', join(folder, name), '-g', 'daemon off;'], ports };
}

function script(file: string, at: number): Command {
  return { file: process.execPath, args: [file], env: { PORT: String(at) }, ports: [at] };
}

/** Whether a program of this machine that the comparison can do without is here. */
export function isInstalled(program: Program): boolean {
  return program !== 'apache' || (existsSync(apache) && existsSync(openidc));
}

const everyone: readonly Contender[] = [
  { name: 'floor', program: 'floor', url: 'http://127.0.0.1:9103/open/1', token: 'HS256' },
  { name: 'nginx proxy_pass', program: 'nginx', url: 'http://127.0.0.1:9001/open/1', token: 'HS256' },
  { name: 'nginx auth_request, cached', program: 'nginx', url: 'http://127.0.0.1:9002/open/1', token: 'HS256' },
  { name: '@fastify/http-proxy', program: 'http-proxy', url: 'http://127.0.0.1:9101/open/1', token: 'HS256' },
  { name: 'apache mod_auth_openidc', program: 'apache', url: 'http://127.0.0.1:9201/open/1', token: 'HS256' },
  { name: 'gatehouse, open route', program: 'gatehouse', url: `http://127.0.0.1:${port}/open/1`, token: 'HS256' },
  { name: 'gatehouse, JWT HS256 cached', program: 'gatehouse', url: `http://127.0.0.1:${port}/hs/1`, token: 'HS256' },
  { name: 'gatehouse, JWT ES256 cached', program: 'gatehouse', url: `http://127.0.0.1:${port}/es/1`, token: 'ES256' },
];

export function contenders(): readonly Contender[] {
  return everyone.filter(({ program }) => isInstalled(program));
}
