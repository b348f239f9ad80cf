import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../children.ts';
import { oathkeeper, oauth2Proxy } from './go-gateways.ts';
import { measured, nginx } from './place.ts';
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
  'oauth2-proxy': oauth2Proxy,
  oathkeeper,
} satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

function script(file: string, at: number): Command {
  return measured({ file: process.execPath, args: [file], env: { PORT: String(at) }, ports: [at] });
}

function apacheIn(folder: string): Command {
  return measured({ file: apache, args: ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], ports: [9201] });
}
