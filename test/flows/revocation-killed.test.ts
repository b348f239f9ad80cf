import t from 'tap';
import { signedIn } from '../authorization/browser/walk.ts';
import { basic } from '../authorization/running-service.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { watchedWay } from '../support/watched-way.ts';
import { edge, gatewayProcess, liveUpstream, phone, serviceProcess } from './fleet.ts';
import { isInStep, timeUntil } from './revoked.ts';

/** Starts PostgreSQL, and opens services: 11 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const REVOKED = '401 token_revoked';
const LIVES = 3;

/** Prepared once a connection, and then called by its name. */
const EVENTS = /(gh_[\w-]{16})\0SELECT \* FROM event WHERE seq > /;

t.test(
  'kill -9 between the answer of a revocation and its delivery: the gateway gets it after the restart',
  { skip: skipWithoutPostgres },
  async (t) => {
    const server = await postgresServer(t);
    const names = new Set<string>();
    const storage = await server.database();
    const store = await watchedWay(t, server.port, (asked) => {
      const name = EVENTS.exec(asked)?.[1];
      if (name !== undefined) names.add(name);
    });
    const users = ['alice', 'bob', 'carol'];
    const service = await serviceProcess(t, storage.replace(`:${server.port}/`, `:${store.port}/`), users);
    const feed = await watchedWay(t, Number(new URL(service.url).port));
    const changes = { events: `http://127.0.0.1:${feed.port}/oauth2/events` };
    const gateway = await gatewayProcess(t, { upstream: await liveUpstream(t), service, changes });

    for (let life = 1; life <= LIVES; life++) {
      const [rotated, revoked, sound] = await Promise.all(users.map((user) => service.jwt(user)));
      const tokens = [rotated, revoked, sound] as [string, string, string];
      for (const token of tokens) t.equal(await gateway.said(token), '200');
      const tab = await signedIn(service, 'alice', 'alice');
      const page = await tab.get('/oauth2/account');

      // The only reader of the table in this process stops before anything is revoked, so there is nothing to send.
      const held = store.held();
      store.holdWhere((asked) => [...names].some((name) => asked.includes(name)));
      t.ok(await until(() => store.held() > held), 'the read of the events is held');
      const before = feed.sent().length;
      const signedOut = await tab.post('/oauth2/account/sign-out-everywhere', { csrf: page.field('csrf') });
      t.equal(signedOut.status, 303);
      t.equal((await service.post('/oauth2/revoke', { token: tokens[1] }, basic(phone))).status, 200);
      await service.kill();
      t.notMatch(feed.sent().slice(before), /event:/, 'nothing of it was sent');
      for (const token of tokens) t.equal(await gateway.said(token), '200', 'nobody has told the gateway');

      store.holdWhere(() => false);
      await service.start();
      const began = performance.now();
      for (const token of tokens.slice(0, 2)) t.ok((await timeUntil(gateway, token, REVOKED, 20_000)) < 20_000);
      t.comment(`life ${life}: in force ${Math.round(performance.now() - began)} ms after the service was ready again`);
      t.match(feed.sent().slice(before), /event: kid[\s\S]*event: jti/, 'the feed has told it');
      t.equal(await gateway.said(tokens[2]), '200');
      t.ok(await isInStep(gateway));
    }
    t.equal((await service.introspect('made-up', edge)).active, false);
  },
);
