import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { CAEP, gatewayAudience, securityEvent } from '../support/reports.ts';
import { serving } from '../support/serving.ts';
import { authorizationServer, issuer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

const POLL = 'Bearer a-token-for-polling';

interface Asked {
  readonly ack?: readonly string[];
  readonly setErrs?: Readonly<Record<string, { readonly err: string }>>;
  readonly returnImmediately?: boolean;
}

/** A transmitter as RFC 8936 describes it: it sends a token again until it is confirmed. */
async function transmitter(t: Test) {
  const waiting = new Map<string, string>();
  const asked: Asked[] = [];
  const authorizations = new Set<string | undefined>();
  let held: ServerResponse | undefined;
  const answer = () => {
    if (held === undefined || waiting.size === 0) return;
    const sets = Object.fromEntries([...waiting].slice(0, 2));
    held.setHeader('content-type', 'application/json').end(JSON.stringify({ sets, moreAvailable: waiting.size > 2 }));
    held = undefined;
  };
  const url = await serving(
    t,
    createServer(async (request, response) => {
      authorizations.add(request.headers.authorization);
      const question = JSON.parse(await text(request)) as Asked;
      asked.push(question);
      for (const jti of [...(question.ack ?? []), ...Object.keys(question.setErrs ?? {})]) waiting.delete(jti);
      held = response;
      answer();
    }),
  );
  return {
    url,
    waiting,
    asked,
    authorizations,
    send(jti: string, token: string) {
      waiting.set(jti, token);
      answer();
    },
  };
}

const user = (sub: string) => ({ sub_id: { format: 'iss_sub', iss: issuer, sub } });

t.test('events that are fetched end tokens, and are confirmed; wrong ones are reported', async (t) => {
  const [upstream, sender] = [await witness(t), await transmitter(t)];
  const changes = {
    verify: 'jwt',
    events: 'none',
    security_events: { audiences: [gatewayAudience], poll: { url: `${sender.url}/poll`, authorization: POLL } },
  };
  const { config } = await authorizationServer(t, { changes });
  const running = await gateway(t, behind(upstream.url, { authorization_servers: config }));
  const said = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${running.url}/orders/1`, { headers })).status;
  };
  const names = ['a', 'b', 'c', 'd', 'e'];
  const tokens = await Promise.all(names.map((sub) => jwt({ scope: 'orders.read', sub })));
  for (const token of tokens) t.equal(await said(token), 200);
  for (const sub of names.slice(0, 4))
    sender.send(
      `jti-${sub}`,
      await securityEvent({ [`${CAEP}session-revoked`]: {} }, { ...user(sub), jti: `jti-${sub}` }),
    );
  sender.send('forged', `${(await securityEvent({ [`${CAEP}session-revoked`]: {} }, user('e'))).slice(0, -8)}AAAAAAAA`);
  t.ok(await until(() => sender.waiting.size === 0), 'each token is confirmed or reported');
  for (const [index, token] of tokens.entries()) t.equal(await said(token), index < 4 ? 401 : 200, `user ${index}`);
  const acks = sender.asked.flatMap(({ ack = [] }) => ack);
  t.strictSame(acks.sort(), ['jti-a', 'jti-b', 'jti-c', 'jti-d']);
  const errors = Object.assign({}, ...sender.asked.map(({ setErrs }) => setErrs));
  t.match(errors, { forged: { err: 'invalid_key', description: /signature/ } });
  t.equal([...sender.authorizations].join(), POLL);
  t.ok(sender.asked.every(({ returnImmediately }) => returnImmediately === false));
});

t.test('a server that holds no poll is asked every two seconds, and one that fails less and less often', async (t) => {
  const times: Record<'empty' | 'failing', number> = { empty: 0, failing: 0 };
  const url = await serving(
    t,
    createServer((request, response) => {
      const name = request.url === '/empty' ? 'empty' : 'failing';
      times[name]++;
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (name === 'empty') response.end('{"sets":{}}');
      else response.writeHead(500).end();
    }),
  );
  const upstream = await witness(t);
  for (const name of ['empty', 'failing'] as const) {
    const security_events = { audiences: [gatewayAudience], poll: { url: `${url}/${name}` } };
    const { config } = await authorizationServer(t, { changes: { verify: 'jwt', events: 'none', security_events } });
    await gateway(t, behind(upstream.url, { authorization_servers: config }));
  }
  t.ok(await until(() => times.empty >= 2 && times.failing >= 2));
  t.ok(times.empty < 10, `${times.empty}`);
  t.ok(times.failing < 10, `${times.failing}`);
});
