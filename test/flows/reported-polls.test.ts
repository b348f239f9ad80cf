import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { Poller } from '../../src/gateway/receiver/poller.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
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

/** Path → an answer. It comes at once, whatever the gateway confirms or reports. */
const answers: Readonly<Record<string, readonly [status: number, body: object]>> = {
  empty: [200, { sets: {} }],
  failing: [500, {}],
  repeating: [200, { sets: { forged: 'x' } }],
  flooding: [200, { sets: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`j${index}`, 'x'])) }],
};

t.test('a server that answers at once with nothing new is asked every two seconds or less often', async (t) => {
  const times = new Map<string, number>();
  const url = await serving(
    t,
    createServer((request, response) => {
      const name = request.url?.slice(1) ?? '';
      times.set(name, (times.get(name) ?? 0) + 1);
      const [status, body] = answers[name] ?? [404, {}];
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }),
  );
  const upstream = await witness(t);
  const logs = new Map<string, TestGateway['log']>();
  for (const name of Object.keys(answers)) {
    const security_events = { audiences: [gatewayAudience], poll: { url: `${url}/${name}` } };
    const { config } = await authorizationServer(t, { changes: { verify: 'jwt', events: 'none', security_events } });
    logs.set(name, (await gateway(t, behind(upstream.url, { authorization_servers: config }))).log);
  }
  const asked = (name: string) => times.get(name) ?? 0;
  t.ok(await until(() => Object.keys(answers).every((name) => asked(name) >= 2)));
  for (const name of Object.keys(answers)) t.ok(asked(name) < 10, `${name}: ${asked(name)}`);
  const rejected = logs.get('flooding')?.filter(({ msg }) => msg === 'receiver: rejected') ?? [];
  t.ok(rejected.length <= 100 * asked('flooding'), 'at most as many tokens of an answer as the gateway asked for');
});

t.test('without a usable file of authorities, nothing is sent to a poll server', async (t) => {
  let requests = 0;
  const url = await serving(
    t,
    createServer((_request, response) => {
      requests++;
      response.end('{"sets":{}}');
    }),
  );
  const faults: string[] = [];
  const poller = new Poller({
    poll: { url, authorization: POLL },
    trust: { kind: 'none' },
    receive: async () => ({ kind: 'again', id: '1' }),
    faults: { failed: (detail) => void faults.push(detail), recovered: () => {} },
  });
  const running = poller.run();
  t.ok(await until(() => faults.length === 2));
  await poller.close();
  await running;
  t.match(faults[0], /tls\.ca/);
  t.equal(requests, 0);
});
