import t from 'tap';
import { asks, asNginx, statusOf } from '../support/asking.ts';
import { freePort } from '../support/free-port.ts';
import { behind, routes } from '../support/gateway.ts';
import { group, workerOf } from '../support/group.ts';
import { grpcCaller, valuesIn, verdictOf } from '../support/grpc-caller.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

/** Starts two groups of workers, and replaces a worker in each: 30 s on a busy machine. */
t.setTimeout(120_000);

const limited = {
  id: 'limited',
  match: { path: '/limited' },
  access: 'public',
  rate_limit: { by: 'address', requests: 5, per: '1h' },
};

t.test(
  'several workers answer decision requests, with one shared count, and clients at their own listener',
  async (t) => {
    const upstream = await witness(t);
    const decision = { listen: `127.0.0.1:${await freePort()}` };
    const body = { decision, trusted_proxies: ['127.0.0.1'], routes: [...routes, limited] };
    const running = await group(t, behind(upstream.url, body), 2);
    const at = { decisionUrl: `http://${decision.listen}` };
    const headers = [bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }))];
    const answers = await Promise.all(Array.from({ length: 20 }, () => asks(at, asNginx({ headers }))));
    t.strictSame([...new Set(answers.map(({ status }) => status))], [200]);
    const plain = await Promise.all(
      Array.from({ length: 20 }, () => ask(running.port, requestText({ target: '/orders/1', headers }))),
    );
    t.strictSame([...new Set(plain.map(({ status }) => status))], [200]);
    t.equal(upstream.seen.length, 20, 'only what came to the listener of clients was forwarded');
    t.equal(new Set(plain.map((answer) => workerOf(answer.header('x-request-id')))).size, 2);
    const counted = await Promise.all(Array.from({ length: 12 }, () => asks(at, asNginx({ target: '/limited' }))));
    t.equal(counted.filter((answer) => answer.status === 200).length, 5);
    t.equal(counted.filter((answer) => statusOf(answer) === 429).length, 7);
    const [first] = running.pids();
    process.kill(first ?? 0, 'SIGKILL');
    t.ok(await running.serves(2));
    t.equal((await asks(at, asNginx({ headers }))).status, 200, 'one that died is replaced there too');
  },
);

t.test('several workers answer calls of gRPC, each on the connection that it got', async (t) => {
  const upstream = await witness(t);
  const decision = { listen: '127.0.0.1:0', grpc: `127.0.0.1:${await freePort()}` };
  const running = await group(t, behind(upstream.url, { decision, trusted_proxies: ['127.0.0.1'], routes }), 2);
  const callers = Array.from({ length: 8 }, () => grpcCaller(t, decision.grpc));
  const told = await Promise.all(callers.map(({ check }) => check({ path: '/public/1' })));
  t.strictSame([...new Set(told.map(verdictOf))], ['200']);
  const ids = told.map(({ okResponse }) => workerOf(valuesIn(okResponse?.headers, 'x-request-id')[0]));
  t.equal(new Set(ids).size, 2);
  const [first] = running.pids();
  process.kill(first ?? 0, 'SIGKILL');
  t.ok(await running.serves(2));
  t.equal(verdictOf(await grpcCaller(t, decision.grpc).check({ path: '/public/1' })), '200');
});
