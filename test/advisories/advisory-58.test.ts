import t from 'tap';
import { isLong } from '../support/long.ts';
import { connectTo } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { bench } from './bench.ts';

const ROUNDS = isLong ? 25 : 1;
const BODY = 'a body that is read';

/** CVE-2026-26311: data that arrived after the client's reset of its stream was processed, and crashed the process. */
t.test(
  'advisory 58: a client that resets at any byte leaves nothing behind, and no cut request is completed',
  async (t) => {
    const { port, upstream, send } = await bench(t);
    const token = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
    const request = requestText({ method: 'POST', target: '/orders/1', headers: [token], body: BODY });
    const cutAt = async (at: number) => {
      const client = await connectTo(port);
      client.send(request.subarray(0, at));
      await new Promise((sent) => client.socket.write('', sent));
      client.socket.resetAndDestroy();
    };
    for (let round = 0; round < ROUNDS; round++) for (let at = 0; at < request.length; at++) await cutAt(at);
    t.ok(await until(() => upstream.seen.every(({ state }) => state !== 'open')), 'every request has an end');
    t.same(
      upstream.seen.filter(({ state }) => state === 'completed').map(({ body }) => body.toString()),
      [],
      'and none a false one',
    );
    const answer = await send({ method: 'POST', target: '/orders/1', headers: [token], body: BODY });
    t.equal(answer.status, 200);
    t.equal(upstream.seen.at(-1)?.body.toString(), BODY);
  },
);
