import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { subjectHash } from '../src/oauth/user-key.ts';
import { cpuTime, start, stop } from './children.ts';
import { pinned } from './cores.ts';
import { aligned, median } from './report.ts';
import { upstreamConf } from './route-files.ts';
import { freePorts } from './route-place.ts';
import { wrk } from './wrk.ts';

export interface UserKeysGatewayBench {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly say: (message: string) => void;
}

/** One token in one round of load; microseconds of the gateway's CPU time a request. */
interface Turn {
  readonly name: string;
  readonly round: number;
  readonly cpu: number;
  readonly perSecond: number;
}

export interface UserKeysGatewayReport {
  readonly turns: readonly Turn[];
  /** A user's key relative to the issuer's key, in each round. */
  readonly ratios: readonly number[];
}

const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));
const names = ['open', 'issuer', 'user'] as const;
const WARM_UP = 2;
const HEARTBEAT = 5_000;

/**
 * What a cached token costs if it is signed with a user's key and its server has a feed, compared with an issuer's
 * token without a feed.
 */
export async function benchUserKeysGateway(bench: UserKeysGatewayBench): Promise<UserKeysGatewayReport> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [port = 0, upstream = 0, service = 0] = await freePorts(3);
  const { tokens, close } = await openService(service);
  const save = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const conf = save('upstream.conf', upstreamConf(folder, upstream));
  const config = save('gateway.yaml', gatewayYaml({ port, upstream, service }));
  const args = ['-p', folder, '-c', conf, '-g', 'daemon off;'];
  const behind = await start(pinned({ file: 'nginx', args, ports: [upstream] }, 'load'));
  const command = { file: process.execPath, args: [launcher, 'gateway', '--config', config], ports: [port] };
  const gateway = await start(pinned(command, 'contender'));
  const load = async (name: (typeof names)[number], seconds: number) => {
    const before = cpuTime(gateway.pid as number);
    const url = `http://127.0.0.1:${port}/${name}/1`;
    const measured = await wrk({ url, token: tokens[name], seconds, connections: bench.connections });
    return { ...measured, cpu: (cpuTime(gateway.pid as number) - before) / measured.requests };
  };
  try {
    for (const name of names) await load(name, WARM_UP);
    const turns: Turn[] = [];
    for (let round = 1; round <= bench.rounds; round++) {
      for (const [index] of names.entries()) {
        const name = names[(index + round) % names.length] as (typeof names)[number];
        const { cpu, perSecond } = await load(name, bench.seconds);
        bench.say(`round ${round}: ${name}: ${cpu.toFixed(1)} µs a request`);
        turns.push({ name, round, cpu, perSecond });
      }
    }
    return { turns, ratios: ratios(turns) };
  } finally {
    await Promise.all([gateway, behind].map(stop));
    close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function ratios(turns: readonly Turn[]): readonly number[] {
  const of = (name: string, round: number) =>
    turns.find((turn) => turn.name === name && turn.round === round)?.cpu ?? Number.NaN;
  return [...new Set(turns.map(({ round }) => round))].map((round) => of('user', round) / of('issuer', round));
}

/** Key set, users' keys, and a feed that sends only signs of life. */
async function openService(port: number) {
  const kids = { issuer: 'issuer-key', user: randomBytes(16).toString('base64url') };
  const [issuer, user] = [await keyPair(kids.issuer), await keyPair(kids.user)];
  const url = `http://127.0.0.1:${port}`;
  const member = { ...user.jwk, sub_hash: subjectHash(`${url}/user`, 'alice') };
  const followers = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      followers.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      return;
    }
    const keys = request.url?.startsWith('/keys/') === true ? [member] : [issuer.jwk];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const beat = setInterval(() => {
    for (const follower of followers) follower.write(':\n\n');
  }, HEARTBEAT);
  const tokens = {
    open: '',
    issuer: await token(`${url}/issuer`, kids.issuer, issuer.key),
    user: await token(`${url}/user`, kids.user, user.key),
  };
  const close = () => {
    clearInterval(beat);
    server.closeAllConnections();
    server.close();
  };
  return { tokens, close };
}

async function keyPair(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

function token(iss: string, kid: string, key: CryptoKey): Promise<string> {
  const claims = { iss, sub: 'alice', client_id: 'bench', scope: 'orders.read', jti: 'j1', gid: 'g1' };
  return new SignJWT({ ...claims, aud: 'https://api.example.com' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(key);
}

function gatewayYaml({ port, upstream, service }: { port: number; upstream: number; service: number }): string {
  const url = `http://127.0.0.1:${service}`;
  const common = `jwks_uri: "${url}/jwks", audience: https://api.example.com`;
  const feed = `events: "${url}/events", client_id: bench, client_secret: bench-secret-of-32-bytes-or-so-ok, on_stale: deny`;
  return `version: 1
listen: 127.0.0.1:${port}
log: { level: warn, format: json }
authorization_servers:
  issuer: { issuer: "${url}/issuer", verify: jwt, ${common} }
  user: { issuer: "${url}/user", verify: jwt, ${common}, user_key_uri_template: "${url}/keys/{kid}", ${feed} }
upstreams: { api: { url: http://127.0.0.1:${upstream} } }
defaults: { upstream: api }
routes:
  - { id: open, match: { path: "/open/{rest*}" }, access: public }
  - { id: issuer, match: { path: "/issuer/{rest*}" }, scope: orders.read, authorization_servers: [issuer] }
  - { id: user, match: { path: "/user/{rest*}" }, scope: orders.read, authorization_servers: [user] }
`;
}

export function userKeysGatewayTable({ turns, ratios: all }: UserKeysGatewayReport): string {
  const row = (name: string) => {
    const own = turns.filter((turn) => turn.name === name);
    const [cpu, perSecond] = [median(own.map((turn) => turn.cpu)), median(own.map((turn) => turn.perSecond))];
    return [name, cpu.toFixed(1), perSecond.toFixed(0)];
  };
  const table = aligned([['token', 'CPU µs/request', 'requests/s'], ...names.map(row)]);
  const span = `${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)}`;
  return `${table}\n\na user's key beside the issuer's: ${median(all).toFixed(3)} (${span})`;
}
