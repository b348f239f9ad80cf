import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openTab, type Tab } from '../authorization/browser/walk.ts';
import { refresh } from '../authorization/grant-flow.ts';
import { loggedIn, rp, runProvider } from '../authorization/openid/provider.ts';
import { onLoopback, relyingParty } from '../authorization/openid/relying-party.ts';
import { gateway, type Running } from '../authorization/running-service.ts';
import { freePort } from '../support/free-port.ts';
import { isFullSize } from '../support/long.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const SESSIONS = isFullSize ? 100 : 10;
const AT_ONCE = 20;

/** Starts PostgreSQL and two services, and logs in a hundred times in .ci/run. */
t.setTimeout(300_000);

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string; jti: string };

t.test(
  `${SESSIONS} sessions at two nodes, ${AT_ONCE} logouts and refreshes at once for each: nothing survives, and the client learns of each`,
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    const party = await relyingParty(t);
    const shared = {
      storage: await server.database(),
      encryption_keys: [randomBytes(32).toString('base64')],
      tokens: { max_a_minute: 1_000_000 },
      ...onLoopback,
    };
    const client = { backchannel_logout_uri: party.url };
    const one = await runProvider(t, { client, config: shared });
    const listen = { host: '127.0.0.1', port: await freePort() };
    const two = await runProvider(t, { client, config: { ...shared, issuer: one.issuer, listen } });
    const nodes = [one, two] as const;
    const sids = new Set<string>();

    for (let count = 0; count < SESSIONS; count++) {
      const tab = openTab(one);
      const first = await loggedIn(one, {}, tab);
      sids.add(claimsOf(first.id_token).sid);
      const logout = `/oauth2/logout?id_token_hint=${first.id_token}`;
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          const node = nodes[index % 2] ?? one;
          if (index % 4 < 2) return void (await at(node, tab).get(logout));
          const response = await refresh(node, first.refresh_token, {}, rp);
          return response.status === 200 ? ((await response.json()) as typeof first) : undefined;
        }),
      );
      for (const answer of [first, ...answers.filter((each) => each !== undefined)]) {
        t.equal((await two.introspect(answer.access_token, gateway)).active, false);
        t.equal((await refresh(one, answer.refresh_token, {}, rp)).status, 400);
      }
    }
    t.ok(await until(async () => (await one.service.records.countLogoutNotices()) === 0));
    const heard = party.tokens.map(claimsOf);
    t.strictSame(new Set(heard.map(({ sid }) => sid)), sids);
    t.equal(new Set(heard.map(({ jti }) => jti)).size, SESSIONS, 'one jti for each session');
    t.comment(`${heard.length} logout tokens for ${SESSIONS} sessions`);
  },
);

/** The same browser at another node. */
function at({ url }: Running, { cookies }: Tab): Tab {
  const tab = openTab({ url });
  for (const [name, value] of cookies) tab.cookies.set(name, value);
  return tab;
}
