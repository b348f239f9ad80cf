import t from 'tap';
import { type Dropped, droppedFields } from '../../../src/gateway/decide/dropped-fields.ts';
import type { Origin } from '../../../src/gateway/message/request-head.ts';
import type { HttpScheme } from '../../../src/gateway/schemes/http-scheme.ts';
import { decider } from './decider.ts';

const path = (name: string) => ({ path: `/${name}/{rest*}` });

const file = {
  mode: 'shadow',
  routes: [
    { id: 'orders', match: path('orders'), access: 'authenticated' },
    { id: 'keep', match: path('keep'), access: 'authenticated', forward_credential: true },
    { id: 'open', match: path('open'), access: 'public' },
  ],
};

const key: HttpScheme = {
  name: 'api_key',
  places: [{ in: 'header', name: 'x-api-key' }],
  verify: () => ({ kind: 'throttled', retryAfter: 1 }),
  challenges: () => [],
  wantsEntity: () => undefined,
};

/** What is recorded for a request with these fields to one of the routes, which has these schemes. */
async function dropped(
  route: 'orders' | 'keep' | 'open',
  names: readonly string[],
  { origin = {}, schemes = [], value = 'x' }: { origin?: Partial<Origin>; schemes?: HttpScheme[]; value?: string } = {},
): Promise<Dropped> {
  const engine = decider(file, { schemes: () => schemes });
  const request = { line: `GET /${route}/7`, headers: names.flatMap((name) => [name, value]), origin };
  const routed = engine.route(request);
  const outcome = await engine.decide(request);
  if (routed.kind !== 'routed' || outcome.kind !== 'forward') throw new Error(JSON.stringify(outcome));
  return droppedFields(routed.head, outcome);
}

t.test(
  "a header that the gateway sets for the API is removed from a client's request in shadow mode too",
  async (t) => {
    t.strictSame(await dropped('orders', ['X-Auth-Subject', 'X_Auth_Scope', 'Accept']), {
      now: ['x-auth-subject', 'x_auth_scope'],
      later: [],
    });
  },
);

t.test('each name is reported once, and a value never counts as a name', async (t) => {
  const twice = ['X-Auth-Subject', 'X-Forwarded-Port', 'X-Auth-Subject', 'X-Forwarded-Port'];
  t.strictSame(await dropped('orders', twice, { value: 'x-auth-client' }), {
    now: ['x-auth-subject'],
    later: ['x-forwarded-port'],
  });
});

t.test('fields that only enforcement removes are reported, and fields that are always removed are not', async (t) => {
  const names = ['X-Auth-Other', 'X-Request-Id', 'X-Forwarded-For', 'X-HTTP-Method-Override', 'X-Other'];
  const told = ['x-auth-other', 'x-request-id', 'x-forwarded-for', 'x-http-method-override'];
  t.strictSame(await dropped('orders', names), { now: [], later: told });
  t.strictSame(await dropped('orders', ['TE', 'Keep-Alive', 'Proxy-Connection', 'Upgrade']), { now: [], later: [] });
});

t.test('a trusted proxy loses no field that the gateway builds again from it', async (t) => {
  const names = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Port', 'X-Request-Id'];
  const told = async (origin: Partial<Origin>) => (await dropped('orders', names, { origin, value: 'r1' })).later;
  const lost = ['x-forwarded-port', 'x-request-id'];
  t.strictSame(await told({ isProxied: true }), lost, 'no request id was taken from it');
  t.strictSame(await told({ isProxied: true, requestId: 'r2' }), lost, 'another one was');
  t.strictSame(
    await told({ isProxied: false, requestId: 'r1' }),
    names.map((name) => name.toLowerCase()),
  );
  const same = await dropped('orders', ['X-Request-Id'], { origin: { isProxied: true, requestId: 'r1' }, value: 'r1' });
  t.strictSame(same.later, []);
});

t.test('the last of two lines of a proxy counts', async (t) => {
  const engine = decider(file);
  const told = (values: readonly string[]) => {
    const headers = values.flatMap((value) => ['X-Request-Id', value]);
    const request = { line: 'GET /orders/7', headers, origin: { isProxied: true, requestId: 'r1' } };
    const [routed, outcome] = [engine.route(request), engine.decide(request)];
    if (routed.kind !== 'routed' || outcome instanceof Promise || outcome.kind !== 'forward')
      throw new Error('no route');
    return droppedFields(routed.head, outcome).later;
  };
  t.strictSame(told(['r0', 'r1']), []);
  t.strictSame(told(['r1', 'r0']), ['x-request-id']);
});

t.test('a credential is removed once the route enforces, in each spelling of its header', async (t) => {
  t.strictSame((await dropped('orders', ['Authorization', 'X-Api-Key'])).later, ['authorization']);
  const names = ['Authorization', 'X-Api-Key', 'X_API_Key', 'X-Api-Keys'];
  t.strictSame((await dropped('orders', names, { schemes: [key] })).later, ['authorization', 'x-api-key', 'x_api_key']);
});

t.test('a route that forwards credentials, and one that reads none, keep them', async (t) => {
  for (const route of ['keep', 'open'] as const)
    t.strictSame((await dropped(route, ['Authorization', 'X-Api-Key'], { schemes: [key] })).later, [], route);
});
