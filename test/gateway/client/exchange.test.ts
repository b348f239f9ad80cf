import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { catchDefects } from '../../../src/gateway/client/carry-out.ts';
import { Exchange, type Shared } from '../../../src/gateway/client/exchange.ts';
import { type Refuse, refuse } from '../../../src/gateway/decide/outcome.ts';
import { headOf } from '../head.ts';

/** A server that refuses each request as `step` says. The test sees its records, and how many leases are open. */
async function refusing(t: Test, seal: () => string, step: (exchange: Exchange, outcome: Refuse) => void) {
  const seen = { codes: [] as string[], statuses: [] as unknown[], leases: 0, defects: 0 };
  const shared = {
    clock: systemClock,
    log: { error: () => seen.defects++ },
    tickets: { seal },
    decisions: {
      record(decision: { code: string; status: unknown }) {
        seen.codes.push(decision.code);
        seen.statuses.push(decision.status);
      },
    },
    lease: { take: () => seen.leases++, release: () => seen.leases-- },
    listener: { draining: false, leaving: new WeakSet(), doomed: new WeakSet() },
    requestIdHeader: 'X-Request-Id',
  } as unknown as Shared;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const exchange = new Exchange(request, response, headOf(), 'r-1', false, shared);
    catchDefects(exchange, () => step(exchange, refuse('route_not_found')));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
  const status = await fetch(url).then(
    (response) => response.status,
    () => 'no answer',
  );
  return { status, ...seen };
}

const broken = () => {
  throw new Error('broken');
};

t.test('a refusal whose text cannot be built is 500, and is recorded as 500', async (t) => {
  const seen = await refusing(
    t,
    () => 'ticket',
    (exchange, outcome) => exchange.refusal(outcome, broken),
  );
  t.strictSame(seen, { status: 500, codes: ['internal_error'], statuses: [500], leases: 0, defects: 1 });
});

t.test('if no ticket can be sealed the connection ends, the request is recorded, and its lease is free', async (t) => {
  const seen = await refusing(t, broken, (exchange, outcome) => exchange.settle(outcome));
  t.strictSame(seen, {
    status: 'no answer',
    codes: ['internal_error'],
    statuses: [undefined],
    leases: 0,
    defects: 2,
  });
});
