import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { logoutToken, sendLogout } from '../support/reports.ts';
import { serving } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';

/** Slow clients take five seconds each, and workers start. */
t.setTimeout(90_000);

interface Relayed {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** The client's own address for logouts. Its answers may change. */
async function client(t: Test) {
  const got: Relayed[] = [];
  const answers = { next: (response: ServerResponse): unknown => response.end() };
  const url = await serving(
    t,
    createServer(async (request, response) => {
      const { method, url: path, headers } = request;
      got.push({ method, path, type: headers['content-type'], body: await text(request) });
      answers.next(response);
    }),
  );
  return { got, answers, url, relay_to: `${url}/logout` };
}

type Answer = (response: ServerResponse) => unknown;

/** How a client fails → its answer. */
const failing: Readonly<Record<string, Answer>> = {
  'an error': (response) => response.writeHead(500).end('no'),
  'a refusal': (response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{}'),
  'a redirect': (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  'a broken connection': (response) => response.socket?.destroy(),
};

async function settings(t: Test, relay_to: string): Promise<object> {
  const upstream = await witness(t);
  const changes = { verify: 'jwt', events: 'none', backchannel_logout: { audiences: ['shop'], relay_to } };
  const { config } = await authorizationServer(t, { changes });
  const receiver = { listen: '127.0.0.1:0' };
  return { ...behind(upstream.url, { authorization_servers: config, receiver }), development: true };
}

const sendTo = (url: string | undefined, token: string) => sendLogout(`${url}/backchannel-logout/main`, token);

async function statusAt({ url }: Pick<TestGateway, 'url'>, sid: string): Promise<number> {
  const headers = { authorization: `Bearer ${await jwt({ scope: 'orders.read', sid })}` };
  return (await fetch(`${url}/orders/1`, { headers })).status;
}

t.test('a logout token is sent on to the client as a form, once', async (t) => {
  const { got, relay_to } = await client(t);
  const { receiverUrl } = await gateway(t, await settings(t, relay_to));
  const token = await logoutToken({ sid: 's1' });
  t.equal((await sendTo(receiverUrl, token)).status, 200);
  const form = { type: 'application/x-www-form-urlencoded', body: `logout_token=${token}` };
  t.strictSame(got, [{ method: 'POST', path: '/logout', ...form }]);
  const again = await sendTo(receiverUrl, token);
  t.equal(again.status, 400);
  t.match(await again.json(), { error_description: /jti/ });
  t.equal((await sendTo(receiverUrl, `${(await logoutToken({ sid: 's2' })).slice(0, -8)}AAAAAAAA`)).status, 400);
  t.equal((await sendTo(receiverUrl, await logoutToken({ sid: 's2', aud: 'other' }))).status, 400);
  t.equal(got.length, 1, 'a repeated, a forged and a foreign token are not sent on');
});

for (const [what, answer] of Object.entries(failing))
  t.test(`a relay that failed is repeated with the token, and the session has ended here: ${what}`, async (t) => {
    const { got, answers, relay_to } = await client(t);
    const running = await gateway(t, await settings(t, relay_to));
    const token = await logoutToken({ sid: 's1' });
    const works = answers.next;
    answers.next = answer;
    for (let index = 1; index <= 2; index++) {
      const failed = await sendTo(running.receiverUrl, token);
      t.equal(failed.status, 502);
      t.match(await failed.json(), { error: 'invalid_request', error_description: 'the relay failed' });
      t.equal(got.length, index, 'a redirect is not followed');
      t.equal(await statusAt(running, 's1'), 401);
    }
    answers.next = works;
    t.equal((await sendTo(running.receiverUrl, token)).status, 200);
    t.equal((await sendTo(running.receiverUrl, token)).status, 400);
    t.strictSame(
      got.map(({ body }) => body),
      Array(3).fill(`logout_token=${token}`),
    );
  });

t.test('a slow client delays only the answer to its own logout, for about five seconds', async (t) => {
  const { got, answers, relay_to } = await client(t);
  const running = await gateway(t, await settings(t, relay_to));
  const works = answers.next;
  const slow: readonly Answer[] = [() => {}, (response) => response.writeHead(200).write('a')];
  const tokens = await Promise.all(slow.map((_, index) => logoutToken({ sid: `s${index}` })));
  const settled = new Set<string>();
  const waiting: Promise<number>[] = [];
  for (const [index, answer] of slow.entries()) {
    answers.next = answer;
    const token = tokens[index] as string;
    const send = async () => {
      const { status } = await sendTo(running.receiverUrl, token);
      settled.add(token);
      return status;
    };
    waiting.push(send());
    t.ok(await until(() => got.length === index + 1));
    waiting.push(send());
  }
  answers.next = works;
  t.equal((await sendTo(running.receiverUrl, await logoutToken({ sid: 's2' }))).status, 200);
  t.equal(settled.size, 0, 'another logout does not wait for them');
  for (const sid of ['s0', 's1', 's2']) t.equal(await statusAt(running, sid), 401);
  t.strictSame(await Promise.all(waiting), [502, 502, 200, 200], 'the status decides, not the rest of the answer');
  t.equal(got.length, 3, 'a repeat during a relay waits for this relay');
});

t.test('a relay that failed at one replica is repeated at another one', { skip: skipWithoutRedis }, async (t) => {
  const [{ got, answers, relay_to }, redis] = [await client(t), await redisServer(t)];
  const file = { ...(await settings(t, relay_to)), counters: redis.url };
  const [first, second] = [await gateway(t, file), await gateway(t, file)];
  const token = await logoutToken({ sid: 's1' });
  const works = answers.next;
  answers.next = failing['an error'] as Answer;
  t.equal((await sendTo(first.receiverUrl, token)).status, 502);
  t.equal((await sendTo(second.receiverUrl, token)).status, 502);
  answers.next = works;
  t.equal((await sendTo(second.receiverUrl, token)).status, 200);
  t.equal(got.length, 3);
  // The entry about this relay reaches the other replica after the answer.
  t.ok(await until(async () => (await sendTo(first.receiverUrl, token)).status === 400));
  t.equal((await sendTo(second.receiverUrl, token)).status, 400);
});

t.test('a relay that failed is repeated after a restart', async (t) => {
  const { got, answers, relay_to } = await client(t);
  const receiver = { listen: '127.0.0.1:0', file: join(temporaryFolder(t), 'received.jsonl') };
  const file = { ...(await settings(t, relay_to)), receiver };
  const [failed, done] = [await logoutToken({ sid: 's1' }), await logoutToken({ sid: 's2' })];
  const first = await gateway(t, file);
  t.equal((await sendTo(first.receiverUrl, done)).status, 200);
  const works = answers.next;
  answers.next = failing['an error'] as Answer;
  t.equal((await sendTo(first.receiverUrl, failed)).status, 502);
  await first.stop();
  answers.next = works;
  const second = await gateway(t, file);
  t.equal((await sendTo(second.receiverUrl, failed)).status, 200);
  t.equal((await sendTo(second.receiverUrl, done)).status, 400);
  t.equal(got.length, 3);
});

t.test('with several workers, a logout is relayed once, and again if that failed', async (t) => {
  const { got, answers, relay_to } = await client(t);
  const receiverPort = await freePort();
  const receiver = { listen: `127.0.0.1:${receiverPort}` };
  const served = await group(t, { ...(await settings(t, relay_to)), receiver }, 2);
  const token = await logoutToken({ sid: 's1' });
  const works = answers.next;
  answers.next = failing['an error'] as Answer;
  t.equal((await sendTo(`http://127.0.0.1:${receiverPort}`, token)).status, 502);
  answers.next = works;
  t.equal((await sendTo(`http://127.0.0.1:${receiverPort}`, token)).status, 200);
  t.equal((await sendTo(`http://127.0.0.1:${receiverPort}`, token)).status, 400);
  t.equal(got.length, 2);
  const all = async () => Promise.all(Array.from({ length: 8 }, () => statusAt(served, 's1')));
  t.ok(await until(async () => (await all()).every((status) => status === 401)));
});
