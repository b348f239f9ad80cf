import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { buildPasswords } from '../src/base/passwords.ts';
import { storedHash } from '../src/http-auth/digest-response.ts';
import type { Command } from './children.ts';
import { pinned } from './cores.ts';
import { issuer, secret, upstreamConf } from './route-files.ts';
import { freePorts } from './route-place.ts';

/** One gateway with one route for each kind of credential, and an upstream. */
export interface HttpAuthPlace {
  readonly gateway: Command;
  readonly upstream: Command;
  /** Of the gateway. */
  readonly url: string;
  readonly token: string;
  /** For files. */
  readonly folder: string;
  remove(): void;
}

export const REALM = 'bench';
export const alice = { name: 'alice', password: 'correct horse battery staple' } as const;

/** Basic users with one request each. Their names differ, their password is the same. */
export function stranger(index: number): string {
  return `user${String(index).padStart(6, '0')}`;
}

const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));

/** `strangers`: how many of them exist. */
export async function prepareHttpAuth(strangers: number): Promise<HttpAuthPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [port = 0, upstreamPort = 0] = await freePorts(2);
  const save = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  save('users.htdigest', htdigest());
  save('users.htpasswd', await htpasswd(strangers));
  const config = save('gateway.yaml', gatewayYaml(port, upstreamPort));
  const conf = save('upstream.conf', upstreamConf(folder, upstreamPort));
  const gateway = { file: process.execPath, args: [launcher, 'gateway', '--config', config], ports: [port] };
  const upstream = { file: 'nginx', args: ['-p', folder, '-c', conf, '-g', 'daemon off;'], ports: [upstreamPort] };
  return {
    gateway: pinned(gateway, 'contender'),
    upstream: pinned(upstream, 'load'),
    url: `http://127.0.0.1:${port}`,
    token: await makeToken(),
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The users of Digest. */
export function htdigest(): string {
  const lines = (['SHA-256', 'MD5'] as const).map(
    (algorithm) => `${alice.name}:${REALM}:${algorithm}:${storedHash(algorithm, alice.name, REALM, alice.password)}\n`,
  );
  return lines.join('');
}

async function htpasswd(strangers: number): Promise<string> {
  const hashed = await buildPasswords().hash(alice.password);
  if (hashed.kind !== 'hashed') throw new Error('the password cannot be hashed');
  const names = [alice.name, ...Array.from({ length: strangers }, (_, index) => stranger(index))];
  return names.map((name) => `${name}:${hashed.phc}\n`).join('');
}

function gatewayYaml(port: number, upstream: number): string {
  return `version: 1
listen: 127.0.0.1:${port}
log: { level: warn, format: json }
authorization_servers:
  hs: { issuer: ${issuer}, audience: https://api.example.com, algorithms: [HS256], secret: ${secret} }
upstreams:
  api: { url: http://127.0.0.1:${upstream} }
defaults: { upstream: api }
routes:
  - { id: open, match: { path: "/open/{rest*}" }, access: public }
  - { id: jwt, match: { path: "/jwt/{rest*}" }, scope: orders.read }
  - id: digest
    match: { path: "/digest/{rest*}" }
    auth: digest
    digest: { realm: ${REALM}, users: users.htdigest, algorithms: [SHA-256, MD5], scopes: { alice: orders.read } }
    scope: orders.read
  - id: basic
    match: { path: "/basic/{rest*}" }
    auth: basic
    basic: { realm: ${REALM}, users: users.htpasswd }
    access: authenticated
`;
}

async function makeToken(): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: issuer,
    aud: 'https://api.example.com',
    sub: alice.name,
    client_id: 'shop',
    scope: 'orders.read',
    jti: '1',
    iat: now,
    exp: now + 86_400,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(Buffer.from(secret));
}
