import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { behind } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { logoutToken, sendLogout } from '../support/reports.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Starts several programs: 15 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const SESSIONS = 60;

interface Replica extends GatewayProcess {
  readonly receiverPort: number;
}

async function settings(t: Test) {
  const upstream = await witness(t);
  const changes = { verify: 'jwt', events: 'none', backchannel_logout: { audiences: ['shop'] } };
  const { config } = await authorizationServer(t, { changes });
  return behind(upstream.url, { authorization_servers: config });
}

async function replica(t: Test, config: object, receiver: object = {}): Promise<Replica> {
  const receiverPort = await freePort();
  const listen = `127.0.0.1:${receiverPort}`;
  const started = await startProcess({ config: { ...config, receiver: { listen, ...receiver } } });
  t.teardown(() => started.stop());
  return { ...started, receiverPort };
}

const sessionToken = (sid: string) => jwt({ scope: 'orders.read', sub: `user-${sid}`, sid });

async function said(port: number, token: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
  return answer.ok ? '200' : ((await answer.json()) as { code: string }).code;
}

/** Sends a logout for each session, until the replica is gone. Returns the sessions that were answered with 200. */
async function logouts(receiverPort: number, sids: readonly string[]): Promise<ReadonlySet<string>> {
  const accepted = new Set<string>();
  const send = async (sid: string) => {
    const token = await logoutToken({ sid, sub: `user-${sid}` });
    const answer = await sendLogout(`http://127.0.0.1:${receiverPort}/backchannel-logout/main`, token).catch(
      () => undefined,
    );
    if (answer?.status === 200) accepted.add(sid);
  };
  await Promise.all(sids.map(send));
  return accepted;
}

const sids = Array.from({ length: SESSIONS }, (_, index) => `s${index}`);

/** Kills the replica as soon as it has accepted some of them. */
async function killedDuring(first: Replica): Promise<ReadonlySet<string>> {
  const early = await logouts(first.receiverPort, sids.slice(0, 5));
  const rest = logouts(first.receiverPort, sids.slice(5));
  process.kill(first.pid, 'SIGKILL');
  return new Set([...early, ...(await rest)]);
}

t.test('a replica that is killed loses no logout that it accepted', { skip: skipWithoutRedis }, async (t) => {
  const { url } = await redisServer(t);
  const config = { ...(await settings(t)), counters: url };
  const [first, second] = [await replica(t, config), await replica(t, config)];
  const tokens = new Map(await Promise.all(sids.map(async (sid) => [sid, await sessionToken(sid)] as const)));
  for (const token of tokens.values()) t.equal(await said(second.port, token), '200');
  const accepted = await killedDuring(first);
  t.ok(accepted.size >= 5, `${accepted.size} accepted`);
  for (const sid of accepted)
    t.ok(await until(async () => (await said(second.port, tokens.get(sid) ?? '')) === 'token_revoked'), sid);
  const third = await replica(t, config);
  for (const sid of accepted) t.equal(await said(third.port, tokens.get(sid) ?? ''), 'token_revoked', `${sid}, later`);
});

t.test('a gateway with a file loses no logout that it accepted', async (t) => {
  const directory = temporaryFolder(t);
  const [config, file] = [await settings(t), { file: join(directory, 'received.jsonl') }];
  const tokens = new Map(await Promise.all(sids.map(async (sid) => [sid, await sessionToken(sid)] as const)));
  const accepted = await killedDuring(await replica(t, config, file));
  t.ok(accepted.size >= 5, `${accepted.size} accepted`);
  const second = await replica(t, config, file);
  for (const sid of accepted) t.equal(await said(second.port, tokens.get(sid) ?? ''), 'token_revoked', sid);
  t.equal(await said(second.port, await sessionToken('other')), '200');
});

t.test('all workers hear of a logout, and a new worker too', async (t) => {
  const receiverPort = await freePort();
  const config = { ...(await settings(t)), receiver: { listen: `127.0.0.1:${receiverPort}` } };
  const served = await group(t, config, 3);
  const token = await sessionToken('s1');
  const seen = async () => Promise.all(Array.from({ length: 12 }, () => said(served.port, token)));
  t.strictSame(new Set(await seen()), new Set(['200']));
  t.strictSame([...(await logouts(receiverPort, ['s1']))], ['s1']);
  t.ok(await until(async () => (await seen()).every((each) => each === 'token_revoked')));
  const [worker = 0] = served.pids();
  process.kill(worker, 'SIGKILL');
  t.ok(await until(() => !served.pids().includes(worker) && served.pids().length === 3));
  t.ok(await served.serves(3));
  t.strictSame(new Set(await seen()), new Set(['token_revoked']));
  t.equal(await served.metric('gatehouse_receiver_tokens_total'), 1);
  t.equal(await served.metric('gatehouse_receiver_entries'), 1);
});
