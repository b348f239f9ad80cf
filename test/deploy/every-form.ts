import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import type { Test } from 'tap';
import { request } from 'undici';
import { demoPorts } from '../support/demo-ports.ts';
import { caller, credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { freePort } from '../support/free-port.ts';
import { serving } from '../support/serving.ts';
import { checkout, type Started } from './packed.ts';

/** One form of the program: a package, a bundle or a single executable. */
export interface Form {
  /** The working directory of the program, as the test sees the folder. */
  readonly folder: string;
  /** Starts `gatehouse …`. */
  run(args: readonly string[], options?: RunOptions): Started;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** What the program reads from standard input. */
  readonly input?: string;
}

export interface Asked {
  readonly method?: 'GET' | 'DELETE';
  readonly headers?: Record<string, string>;
}

export async function status(url: string, options: Asked = {}): Promise<number> {
  const { statusCode, body } = await request(url, options);
  await body.dump();
  return statusCode;
}

/** The demo runs, and each request that its guide prints gets the answer that the guide promises. */
export async function keepsThePromisesOfTheDemo(t: Test, { run }: Form): Promise<void> {
  const demo = run(['demo', ...(await demoPorts())]);
  t.ok(await demo.prints('Ctrl-C'), demo.output());
  const promised = [...demo.output().matchAll(/^ {2}(\d{3}) {2}.*\n {4}(curl -i .*)$/gm)];
  t.strictSame(
    promised.map(([, code]) => code),
    ['401', '403', '200'],
  );
  for (const [, code, curl = ''] of promised) {
    const [url = ''] = /http:\S+/.exec(curl) ?? [];
    const authorization = /Authorization: (Bearer [^']+)'/.exec(curl)?.[1];
    const method = curl.includes('-X DELETE') ? 'DELETE' : 'GET';
    const headers = authorization === undefined ? {} : { authorization };
    t.equal(await status(url, { method, headers }), Number(code), curl);
  }
  const [page = ''] = /http:\S+(?=\n\n {2}The login)/.exec(demo.output()) ?? [];
  t.equal(await status(page), 200, 'the client page');
  await stops(t, demo);
}

const page = readFileSync(join(checkout, 'docs/both-files.md'), 'utf8');
const [ofGateway = '', ofAuthorization = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);

/** The two files of the page about both files. */
export const bothFiles = { gateway: ofGateway, authorization: ofAuthorization };

/** Both programs run with the files of the page: one issues a token to SQLite, and the other accepts this token. */
export async function servesBothFiles(t: Test, { folder, run }: Form): Promise<void> {
  const api = await anApi(t);
  const [gateway, authorization] = [await freePort(), await freePort()];
  const ports = new Map([
    ['8080', gateway],
    ['8081', authorization],
    ['9900', await freePort()],
    ['9903', await freePort()],
    ['9000', Number(new URL(api).port)],
  ]);
  const move = (text: string) => text.replace(/(?<=:)(8080|8081|9000|9900|9903)\b/g, (port) => String(ports.get(port)));
  const env = { GATEWAY_SECRET: 'g'.repeat(40), SHOP_SECRET: 's'.repeat(40) };
  writeFileSync(join(folder, 'ticket.key'), Buffer.alloc(32, 1).toString('base64'));
  writeFileSync(join(folder, 'gateway.yaml'), move(bothFiles.gateway));
  writeFileSync(join(folder, 'authorization.yaml'), move(bothFiles.authorization));

  const checked = run(['check', 'gateway.yaml', 'authorization.yaml'], { env });
  t.equal(await checked.ended(), 0, checked.output());
  const service = run(['authorization', '--config', 'authorization.yaml'], { env });
  t.ok(await service.prints('is ready'), service.output());
  const proxy = run(['gateway', '--config', 'gateway.yaml'], { env });
  t.ok(await proxy.prints('gateway is listening'), proxy.output());

  const { body } = await request(`http://localhost:${authorization}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`shop:${env.SHOP_SECRET}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials&scope=orders.read',
  });
  const { access_token: token } = (await body.json()) as { access_token: string };
  const orders = `http://localhost:${gateway}/orders`;
  t.equal(await status(orders), 401);
  t.equal(await status(orders, { headers: { authorization: `Bearer ${token}` } }), 200);
  for (const each of [proxy, service]) await stops(t, each);
}

/** The header fields of a request with Basic. */
export function basic(user: string, password: string) {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Two workers check passwords: by Digest, and by Basic with a hash that another thread computes, and one that it does not. */
export async function checksPasswordsInWorkers(t: Test, { folder, run }: Form): Promise<void> {
  const port = await freePort();
  const hashed = run(['hash-password'], { input: caller.password });
  t.equal(await hashed.ended(), 0, hashed.output());
  const users = [`alice:${hashed.output().trim()}`, `bob:${hashSync('right', 10)}`, ''];
  writeFileSync(join(folder, 'users'), users.join('\n'), { mode: 0o600 });
  const digest = run(['digest', 'set', caller.name, '--file', 'digests', '--realm', caller.realm], {
    input: caller.password,
  });
  t.equal(await digest.ended(), 0, digest.output());
  writeFileSync(join(folder, 'workers.yaml'), withWorkers(port, await anApi(t)));
  const group = run(['gateway', '--config', 'workers.yaml']);
  t.ok(await group.prints('gateway is listening'), group.output());
  const url = `http://127.0.0.1:${port}/basic/orders`;
  for (const [user, password, expected] of [
    ['bob', 'right', 200],
    ['bob', 'wrong', 401],
    [caller.name, caller.password, 200],
    [caller.name, 'wrong', 401],
  ] as const)
    t.equal(await status(url, { headers: basic(user, password) }), expected, `${user} ${group.output()}`);
  const path = '/digest/orders';
  const nonce = await nonceOf(`http://127.0.0.1:${port}${path}`);
  const authorization = credentialsFor(path, nonce, 1);
  t.equal(await status(`http://127.0.0.1:${port}${path}`, { headers: { authorization } }), 200, group.output());
  await stops(t, group);
}

function withWorkers(port: number, api: string): string {
  return `
version: 1
workers: 2
listen: 127.0.0.1:${port}
upstreams: { app: { url: "${api}" } }
defaults: { upstream: app }
routes:
  - { id: basic, match: { path: "/basic/{rest*}" }, auth: basic, access: authenticated, basic: { realm: r, users: users } }
  - { id: digest, match: { path: "/digest/{rest*}" }, auth: digest, access: authenticated, digest: { realm: r, users: digests } }
`;
}

export async function stops(t: Test, program: Started): Promise<void> {
  program.kill('SIGTERM');
  t.equal(await program.ended(), 0, program.output());
}

function anApi(t: Test): Promise<string> {
  return serving(
    t,
    createServer((_request, response) => response.end('an order')),
  );
}
