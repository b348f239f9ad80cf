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

/** What is told of a request with these fields to one of the routes, whose schemes are these. */
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

t.test('a header that the gateway sets for the API is taken from a client in shadow mode already', async (t) => {
  t.strictSame(await dropped('orders', ['X-Auth-Subject', 'X_Auth_Scope', 'Accept']), {
    now: ['x-auth-subject', 'x_auth_scope'],
    later: [],
  });
});

t.test('each name is told once, and a value is never taken for a name', async (t) => {
  const twice = ['X-Auth-Subject', 'X-Forwarded-Port', 'X-Auth-Subject', 'X-Forwarded-Port'];
  t.strictSame(await dropped('orders', twice, { value: 'x-auth-client' }), {
    now: ['x-auth-subject'],
    later: ['x-forwarded-port'],
  });
});

t.test('fields that only enforcing removes are told, and fields that are always removed are not', async (t) => {
  const names = ['X-Auth-Other', 'X-Request-Id', 'X-Forwarded-For', 'X-HTTP-Method-Override', 'X-Other'];
  const told = ['x-auth-other', 'x-request-id', 'x-forwarded-for', 'x-http-method-override'];
  t.strictSame(await dropped('orders', names), { now: [], later: told });
  t.strictSame(await dropped('orders', ['TE', 'Keep-Alive', 'Proxy-Connection', 'Upgrade']), { now: [], later: [] });
});

t.test('a trusted proxy loses nothing by what the gateway sends again from it', async (t) => {
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

t.test('of two lines of a proxy the last one is the one that counts', async (t) => {
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

t.test('a credential is taken once the route enforces, in each spelling of its header', async (t) => {
  t.strictSame((await dropped('orders', ['Authorization', 'X-Api-Key'])).later, ['authorization']);
  const names = ['Authorization', 'X-Api-Key', 'X_API_Key', 'X-Api-Keys'];
  t.strictSame((await dropped('orders', names, { schemes: [key] })).later, ['authorization', 'x-api-key', 'x_api_key']);
});

t.test('a route that forwards credentials, and one that reads none, keeps them', async (t) => {
  for (const route of ['keep', 'open'] as const)
    t.strictSame((await dropped(route, ['Authorization', 'X-Api-Key'], { schemes: [key] })).later, [], route);
});
