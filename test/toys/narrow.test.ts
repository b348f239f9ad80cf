import t, { type Test } from 'tap';
import { grants } from '../../src/authorization/grants/grants.ts';
import type { GrantType } from '../../src/config/schema/authorization.ts';
import { basic, gateway, other, type Running, run, shop } from '../authorization/running-service.ts';
import { settableClock } from '../support/settable-clock.ts';
import { narrow } from './narrow.ts';

/** Not a name in the table of src: this file adds the row. */
const NARROW = 'urn:example:narrow' as GrantType;
const table = new Map([...grants, [NARROW, narrow]]);

const scope = ['orders.read', 'orders.write'];

function client({ id, secret }: typeof shop, ...more: GrantType[]) {
  return {
    client_id: id,
    client_secret: secret,
    scope: scope.join(' '),
    grant_types: ['client_credentials' as const, ...more],
  };
}

async function running(t: Test, deps: Parameters<typeof run>[1] = {}): Promise<Running> {
  const asks = { client_id: gateway.id, client_secret: gateway.secret, introspect: true };
  const clients = [client(shop, NARROW), client(other, NARROW), client({ id: 'plain', secret: shop.secret }), asks];
  return run(t, { grants: table, config: { clients }, ...deps });
}

function exchange(service: Running, form: Record<string, string>, by = shop): Promise<Response> {
  return service.post('/oauth2/token', { grant_type: NARROW, ...form }, basic(by));
}

t.test('one row is all that the token endpoint needs to issue with a new grant', async (t) => {
  const service = await running(t);
  const token = await service.token();
  const response = await exchange(service, { subject_token: token, scope: 'orders.read' });
  t.equal(response.status, 200);
  const answer = (await response.json()) as { access_token: string; scope: string; token_type: string };
  t.match(answer, { token_type: 'Bearer', scope: 'orders.read' });
  t.match(await service.introspect(answer.access_token), { active: true, scope: 'orders.read', client_id: shop.id });
  t.match(await service.introspect(token), { active: true, scope: scope.join(' ') }, 'the other one stays');
});

t.test('the metadata and the metrics name the grant', async (t) => {
  const service = await running(t);
  const metadata = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
  t.match(await metadata.json(), { grant_types_supported: ['client_credentials', NARROW] });
  await exchange(service, { subject_token: await service.token() });
  t.match(await (await fetch(`${service.admin}/metrics`)).text(), /issued.*narrow/);
});

t.test('each misuse is refused, and issues no token', async (t) => {
  const service = await running(t);
  const token = await service.token();
  const revoked = await service.token();
  await service.post('/oauth2/revoke', { token: revoked }, basic(shop));
  const plain = { id: 'plain', secret: shop.secret };
  const misuses: Readonly<Record<string, [Promise<Response>, status: number, error: string]>> = {
    'no token': [exchange(service, {}), 400, 'invalid_request'],
    'two tokens': [
      service.post('/oauth2/token', `grant_type=${NARROW}&subject_token=a&subject_token=b`, basic(shop)),
      400,
      'invalid_request',
    ],
    'no token of ours': [exchange(service, { subject_token: 'at_x' }), 400, 'invalid_grant'],
    'a revoked token': [exchange(service, { subject_token: revoked }), 400, 'invalid_grant'],
    'the token of another client': [exchange(service, { subject_token: token }, other), 400, 'invalid_grant'],
    'more scope than the token has': [
      exchange(service, { subject_token: token, scope: 'admin' }),
      400,
      'invalid_scope',
    ],
    'another audience': [
      exchange(service, { subject_token: token, resource: 'https://x.example' }),
      400,
      'invalid_target',
    ],
    'a client that does not list the grant': [
      exchange(service, { subject_token: token }, plain),
      400,
      'unauthorized_client',
    ],
    'a wrong secret': [exchange(service, { subject_token: token }, { ...shop, secret: 'x' }), 401, 'invalid_client'],
  };
  for (const [title, [asked, status, error]] of Object.entries(misuses)) {
    const response = await asked;
    const answer = (await response.json()) as Record<string, unknown>;
    t.match({ status: response.status, ...answer }, { status, error }, title);
    t.equal(answer.access_token, undefined, title);
  }
});

t.test('a narrowed token lives no longer than its original', async (t) => {
  const clock = settableClock();
  const service = await running(t, { clock });
  const token = await service.token();
  const { exp } = await service.introspect(token);
  clock.advance(60_000);
  const response = await exchange(service, { subject_token: token });
  const { access_token } = (await response.json()) as { access_token: string };
  t.equal((await service.introspect(access_token)).exp, exp);
});

t.test('without the row the grant does not exist', async (t) => {
  const service = await running(t, { grants });
  const response = await exchange(service, { subject_token: await service.token() });
  t.match(
    { status: response.status, body: await response.json() },
    { status: 400, body: { error: 'unsupported_grant_type' } },
  );
});
