import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { command } from '../support/command.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { logoutToken, sendLogout } from '../support/reports.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Starts several commands. */
t.setTimeout(90_000);

interface Place {
  readonly file: string;
  readonly adminUrl: string;
  readonly token: string;
  /** Of a request with this token. */
  readonly ticket: string;
}

/** A gateway that has accepted a logout, its file, and a token that ended. */
async function place(t: Test, more: (directory: string) => object): Promise<Place> {
  const directory = temporaryFolder(t);
  const upstream = await witness(t);
  const changes = { verify: 'jwt', events: 'none', backchannel_logout: { audiences: ['shop'] } };
  const { config } = await authorizationServer(t, { changes });
  const admin = { listen: '127.0.0.1:0', console: true };
  const body = behind(upstream.url, { authorization_servers: config, admin, ...more(directory) });
  const running = await gateway(t, body);
  const token = await jwt({ scope: 'orders.read', sid: 's1' });
  const ask = () => fetch(`${running.url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
  const said = async () => (await ask()).status;
  t.equal(await said(), 200);
  t.equal(
    (await sendLogout(`${running.receiverUrl}/backchannel-logout/main`, await logoutToken({ sid: 's1' }))).status,
    200,
  );
  t.ok(await until(async () => (await said()) === 401));
  const file = join(directory, 'gateway.yaml');
  writeFileSync(file, gatewayYaml(body));
  const { ticket } = (await (await ask()).json()) as { ticket: string };
  return { file, adminUrl: running.adminUrl ?? '', token, ticket };
}

const places: Readonly<Record<string, (t: Test) => Promise<(directory: string) => object>>> = {
  file: async () => (directory) => ({
    receiver: { listen: '127.0.0.1:0', file: join(directory, 'received.jsonl') },
  }),
  Redis: async (t) => {
    const { url } = await redisServer(t);
    return () => ({ receiver: { listen: '127.0.0.1:0' }, counters: url });
  },
};

for (const [name, settings] of Object.entries(places))
  t.test(`explain knows of a logout that the gateway has stored: ${name}`, { skip: skipWithoutRedis }, async (t) => {
    const { file, token } = await place(t, await settings(t));
    const explain = (input: string) =>
      command(t, ['explain', '--config', file, 'GET', '/orders/1', '--token', '-'], { input }).ended();
    const ended = await explain(token);
    t.match(ended.stdout, /token_revoked/, ended.stdout + ended.stderr);
    const other = await jwt({ scope: 'orders.read', sid: 's2' });
    const passes = await explain(other);
    t.notMatch(passes.stdout, /token_revoked/);
  });

t.test('why says that a reported logout ended the session, from a ticket', async (t) => {
  const { file, ticket } = await place(t, () => ({
    receiver: { listen: '127.0.0.1:0' },
    ticket_keys: [randomBytes(32).toString('base64')],
  }));
  const { stdout, stderr } = await command(t, ['why', ticket, '--config', file]).ended();
  t.match(stdout, /^401 token_revoked {3}GET /, stderr);
  t.match(stdout, /\n {2}step +verify\n {2}reason +its session ended\n/);
});

t.test('the console knows of a logout that only this gateway has', async (t) => {
  const { adminUrl, token } = await place(t, () => ({ receiver: { listen: '127.0.0.1:0' } }));
  const answer = await fetch(`${adminUrl}/api/explain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'GET', url: '/orders/1', token }),
  });
  const text = await answer.text();
  t.equal(answer.status, 200, text);
  t.match(text, /token_revoked/);
});
