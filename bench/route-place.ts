import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import type { Command } from './children.ts';
import { pinned } from './cores.ts';
import {
  ACCESSES,
  type Access,
  drawScript,
  type FileOptions,
  issuer,
  pathsFor,
  routeFile,
  SCOPES,
  secret,
  upstreamConf,
} from './route-files.ts';

/** The others run beside the first. All get as many different paths as the last has routes. */
export const COUNTS = [10, 1000, 10_000] as const;

/** A gateway with so many routes. */
export interface RouteContender {
  readonly name: string;
  readonly count: number;
  readonly access: Access;
  readonly command: Command;
  readonly url: string;
  /** File of the requested paths, one a line. */
  readonly paths: string;
}

export interface RoutePlace {
  readonly contenders: readonly RouteContender[];
  readonly upstream: Command;
  readonly token: string;
  /** For `wrk -s`. */
  readonly script: string;
  remove(): void;
}

const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));

export async function prepareRoutes(engine: FileOptions['engine']): Promise<RoutePlace> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [upstreamPort = 0, ...ports] = await freePorts(1 + COUNTS.length * ACCESSES.length);
  const pairs = ACCESSES.flatMap((access) => COUNTS.map((count) => ({ access, count })));
  const contenders = pairs.map(({ access, count }, index) =>
    contender(folder, {
      access,
      count,
      port: ports[index] as number,
      upstream: `http://127.0.0.1:${upstreamPort}`,
      engine,
    }),
  );
  const script = save(folder, 'draw.lua', drawScript);
  const conf = save(folder, 'upstream.conf', upstreamConf(folder, upstreamPort));
  return {
    contenders,
    upstream: pinned(
      { file: 'nginx', args: ['-p', folder, '-c', conf, '-g', 'daemon off;'], ports: [upstreamPort] },
      'load',
    ),
    token: await makeToken(),
    script,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function contender(folder: string, options: FileOptions): RouteContender {
  const { access, count, port } = options;
  const config = save(folder, `${access}-${count}.yaml`, routeFile(options));
  const args = [launcher, 'gateway', '--config', config];
  const most = Math.max(...COUNTS);
  return {
    name: nameOf(count, access),
    count,
    access,
    command: pinned({ file: process.execPath, args, ports: [port], every: 5 }, 'contender'),
    url: `http://127.0.0.1:${port}`,
    paths: save(folder, `${access}-${count}.paths`, `${pathsFor(count, most).join('\n')}\n`),
  };
}

export function nameOf(count: number, access: Access): string {
  return `${count} routes, ${access === 'public' ? 'open' : 'JWT HS256 cached'}`;
}

function save(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Different ports: all stay open until the last is known. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject).listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function makeToken(): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: issuer,
    aud: 'https://api.example.com',
    sub: 'alice',
    client_id: 'shop',
    scope: SCOPES.join(' '),
    jti: '1',
    iat: now,
    exp: now + 86_400,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(Buffer.from(secret));
}
