import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import type { GrantType } from '../../../src/config/schema/authorization.ts';
import { StorageUnavailable } from '../../../src/storage/engine/errors.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { refreshed, type TokenAnswer } from '../grant-flow.ts';
import { basic, configuration, gateway, passwordHash, run, web } from '../running-service.ts';

const grant = { grant_type: 'password', username: 'alice', password: 'wonderland' };

function withPassword(t: Test, more: { max_failures?: number; window?: number } = {}) {
  const clients = configuration().clients.map((client) =>
    client.client_id === 'web' ? { ...client, grant_types: ['password', 'refresh_token'] as GrantType[] } : client,
  );
  const { login } = configuration();
  return run(t, { config: { clients, login: { ...login, ...more } } });
}

async function error(response: Response | Promise<Response>): Promise<string> {
  const answered = await response;
  return `${answered.status} ${((await answered.json()) as { error: string }).error}`;
}

t.test('T16: a client that does not list the password grant may not use it', async (t) => {
  const service = await run(t);
  t.equal(await error(service.post('/oauth2/token', grant, basic(web))), '400 unauthorized_client');
});

t.test('a client that lists the password grant gets tokens for the user, and refreshes them', async (t) => {
  const service = await withPassword(t);
  const response = await service.post('/oauth2/token', { ...grant, scope: 'orders.read' }, basic(web));
  t.equal(response.status, 200);
  const answer = (await response.json()) as TokenAnswer;
  t.match(await service.introspect(answer.access_token, gateway), { active: true, sub: 'alice', scope: 'orders.read' });
  t.equal((await refreshed(service, answer.refresh_token)).scope, 'orders.read');
});

t.test('the user is found whatever the case of the name', async (t) => {
  const service = await withPassword(t);
  const response = await service.post('/oauth2/token', { ...grant, username: 'ALICE' }, basic(web));
  t.equal(response.status, 200);
});

t.test('a wrong password and an unknown user are invalid_grant, with the same words', async (t) => {
  const service = await withPassword(t);
  const ask = async (changes: Record<string, string>) => {
    const response = await service.post('/oauth2/token', { ...grant, ...changes }, basic(web));
    const { request_id: _id, ...body } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body };
  };
  const wrong = await ask({ password: 'wrong' });
  t.match(wrong, { status: 400, body: { error: 'invalid_grant' } });
  t.strictSame(await ask({ username: 'nobody' }), wrong);
  t.equal(await error(service.post('/oauth2/token', { ...grant, password: '' }, basic(web))), '400 invalid_request');
  t.match(service.logged(), /"event":"login_failed"/);
});

t.test('T30: after too many wrong passwords the answer has Retry-After, even to a right one', async (t) => {
  const service = await withPassword(t, { max_failures: 3 });
  const ask = (password: string) => service.post('/oauth2/token', { ...grant, password }, basic(web));
  for (let count = 0; count < 3; count++) t.equal((await ask('wrong')).status, 400);
  const throttled = await ask('wonderland');
  t.equal(throttled.status, 429);
  t.ok(Number(throttled.headers.get('retry-after')) >= 1);
  const bob = await service.post('/oauth2/token', { ...grant, username: 'bob', password: 'builder' }, basic(web));
  t.equal(bob.status, 200, 'another user is not concerned');
});

t.test('a scope beyond the registered one is refused before the password is checked', async (t) => {
  const service = await withPassword(t);
  t.equal(await error(service.post('/oauth2/token', { ...grant, scope: 'admin' }, basic(web))), '400 invalid_scope');
});

t.test('a correct login succeeds even if the stronger hash cannot be saved', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  const rehashPassword = async () => Promise.reject(new StorageUnavailable('the disk is full'));
  const clients = [{ client_id: 'web', client_secret: web.secret, grant_types: ['password'] as GrantType[] }];
  const service = await run(t, { directory, records: { ...records, rehashPassword }, config: { clients } });
  const carol = { subject: 'c', username: 'carol', name: undefined, claims: {}, createdAt: 0 };
  await records.addAccount({ ...carol, passwordHash: passwordHash('wonderland') });
  const response = await service.post('/oauth2/token', { ...grant, username: 'carol' }, basic(web));
  t.equal(response.status, 200);
  t.match(service.logged(), /"level":40.*could not save a stronger password hash/);
});
