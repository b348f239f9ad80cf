import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import type { AuthorizationConfig } from '../../../src/config/schema/authorization.ts';
import { StorageUnavailable } from '../../../src/storage/engine/errors.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { code, redeem, refresh, refreshed, tokens } from '../grant-flow.ts';
import { basic, configuration, gateway, other, run, web } from '../running-service.ts';

const webJwt = { id: 'web-jwt', secret: web.secret };
const webRetry = { id: 'web-retry', secret: web.secret };
const refused = '400 invalid_grant';

async function error(response: Response | Promise<Response>): Promise<string> {
  const answered = await response;
  return `${answered.status} ${((await answered.json()) as { error: string }).error}`;
}

function withRefresh(changes: Partial<AuthorizationConfig['tokens']['refresh']>) {
  const settings = configuration().tokens;
  return { tokens: { ...settings, refresh: { ...settings.refresh, ...changes } } };
}

t.test('a refresh gives a new access token and a new refresh token', async (t) => {
  const service = await run(t);
  const first = await tokens(service);
  const second = await refreshed(service, first.refresh_token);
  t.not(second.access_token, first.access_token);
  t.not(second.refresh_token, first.refresh_token);
  t.equal(second.scope, 'orders.read');
  t.match(await service.introspect(second.access_token), { active: true, sub: 'alice', scope: 'orders.read' });
  t.equal((await service.introspect(first.access_token)).active, true, 'the old one lives on to its end');
});

t.test('T11, advisory 63: of 50 parallel refreshes one succeeds, and the family stays valid', async (t) => {
  const service = await run(t);
  const { refresh_token } = await tokens(service);
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(service, refresh_token)));
  const won = answers.filter(({ status }) => status === 200);
  t.equal(won.length, 1);
  for (const lost of answers.filter(({ status }) => status !== 200)) t.equal(await error(lost), refused);
  const { refresh_token: next } = (await (won[0] as Response).json()) as { refresh_token: string };
  t.equal((await refresh(service, next)).status, 200);
});

t.test('T12: reuse after the leeway ends the family, and the audit log records it', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  for (const client of [web, webJwt]) {
    const first = await tokens(service, {}, client);
    const second = await refreshed(service, first.refresh_token, {}, client);
    clock.advance(10_000);
    t.equal(await error(refresh(service, first.refresh_token, {}, client)), refused);
    t.equal((await service.introspect(second.access_token)).active, true, 'within the leeway the family lives');
    clock.advance(1_000);
    t.equal(await error(refresh(service, first.refresh_token, {}, client)), refused);
    for (const { access_token } of [first, second]) t.equal((await service.introspect(access_token)).active, false);
    t.equal(await error(refresh(service, second.refresh_token, {}, client)), refused);
  }
  t.match(service.logged(), /"event":"refresh_reuse"/);
});

t.test('T13: within retry_window the answer repeats the same tokens, without a new row', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  const first = await tokens(service, {}, webRetry);
  const second = await refreshed(service, first.refresh_token, {}, webRetry);
  clock.advance(20_000);
  const again = await refreshed(service, first.refresh_token, {}, webRetry);
  t.strictSame(again, { ...second, expires_in: second.expires_in - 20 });
  t.equal(await error(refresh(service, first.refresh_token, { scope: 'orders.read' }, webRetry)), refused);
  t.equal((await service.introspect(second.access_token)).active, false, 'another question is no repetition');
});

t.test('T13: parallel refreshes within retry_window all get the same tokens', async (t) => {
  const service = await run(t);
  const { refresh_token } = await tokens(service, {}, webRetry);
  const answers = await Promise.all(Array.from({ length: 20 }, () => refreshed(service, refresh_token, {}, webRetry)));
  t.equal(new Set(answers.map(({ refresh_token }) => refresh_token)).size, 1);
  t.equal(new Set(answers.map(({ access_token }) => access_token)).size, 1);
});

t.test('once the next refresh token was used, the answer was not lost: reuse then counts as theft', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  const first = await tokens(service, {}, webRetry);
  const second = await refreshed(service, first.refresh_token, {}, webRetry);
  const third = await refreshed(service, second.refresh_token, {}, webRetry);
  clock.advance(15_000);
  t.equal(await error(refresh(service, first.refresh_token, {}, webRetry)), refused);
  t.equal((await service.introspect(third.access_token)).active, false);
});

t.test('after retry_window a repeated token counts as theft', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  const first = await tokens(service, {}, webRetry);
  const second = await refreshed(service, first.refresh_token, {}, webRetry);
  clock.advance(31_000);
  t.equal(await error(refresh(service, first.refresh_token, {}, webRetry)), refused);
  t.equal((await service.introspect(second.access_token)).active, false);
});

t.test('T14: a refresh may ask for less than was granted, never for more', async (t) => {
  const service = await run(t);
  const first = await tokens(service, { scope: 'orders.read orders.write' });
  const less = await refreshed(service, first.refresh_token, { scope: 'orders.read' });
  t.equal(less.scope, 'orders.read');
  const all = await refreshed(service, less.refresh_token);
  t.equal(all.scope, 'orders.read orders.write', 'RFC 6749 §6: the refresh token keeps its scope');
  t.equal(await error(refresh(service, all.refresh_token, { scope: 'admin' })), '400 invalid_scope');
  t.equal((await refresh(service, all.refresh_token)).status, 200, 'and the token is not used up by that');
});

t.test("T14: a scope that the client's registration has lost is not granted again", async (t) => {
  const first = await run(t);
  const granted = await tokens(first, { scope: 'orders.read orders.write' });
  await first.stop();
  const clients = configuration().clients.map((client) =>
    client.client_id === 'web' ? { ...client, scope: 'orders.write' } : client,
  );
  const second = await run(t, { directory: first.directory, config: { clients } });
  t.equal((await refreshed(second, granted.refresh_token)).scope, 'orders.write');
});

t.test('advisories 67 and 68: client B cannot use the refresh token of A, which still works', async (t) => {
  const service = await run(t);
  const { refresh_token } = await tokens(service);
  t.equal(await error(refresh(service, refresh_token, {}, webJwt)), refused);
  t.equal(
    await error(service.post('/oauth2/token', { grant_type: 'refresh_token', refresh_token, client_id: 'app' })),
    refused,
  );
  t.match(service.logged(), /"event":"refresh_refused"/);
  t.equal((await refresh(service, refresh_token)).status, 200);
});

t.test('a refresh token ends after its lifetime, and its use never extends the grant', async (t) => {
  const clock = settableClock();
  const day = 86_400_000;
  const service = await run(t, { clock, config: withRefresh({ absolute_ttl: 10 * day }) });
  const late = await tokens(service);
  let kept = await tokens(service);
  clock.advance(6 * day);
  kept = await refreshed(service, kept.refresh_token);
  clock.advance(day);
  t.equal(await error(refresh(service, late.refresh_token)), refused, 'seven days unused');
  clock.advance(3 * day - 60_000);
  kept = await refreshed(service, kept.refresh_token);
  t.equal(kept.expires_in, 60, 'the access token ends with the grant');
  clock.advance(60_000);
  t.equal(await error(refresh(service, kept.refresh_token)), refused);
});

t.test(
  "a used refresh token whose grant has ended counts as expired, not stolen: the user's other grants stay",
  async (t) => {
    const clock = settableClock();
    const minute = 60_000;
    const service = await run(t, { clock, config: withRefresh({ absolute_ttl: 10 * minute }) });
    const ended = await tokens(service, {}, webJwt);
    clock.advance(5 * minute);
    await refreshed(service, ended.refresh_token, {}, webJwt);
    const living = await tokens(service, {}, webJwt);
    clock.advance(5 * minute);
    t.equal(await error(refresh(service, ended.refresh_token, {}, webJwt)), refused);
    t.equal((await service.introspect(living.access_token)).active, true);
    t.notMatch(service.logged(), /refresh_reuse/);
  },
);

t.test('extend: the access token stays the same and is valid longer', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock, config: withRefresh({ access_token: 'extend' }) });
  const first = await tokens(service);
  clock.advance(3_000_000);
  const second = await refreshed(service, first.refresh_token);
  t.equal(second.access_token, first.access_token);
  t.equal(second.expires_in, 3600);
  t.not(second.refresh_token, first.refresh_token);
  clock.advance(3_000_000);
  t.equal((await service.introspect(first.access_token)).active, true);
  const third = await refreshed(service, second.refresh_token);
  t.equal(third.access_token, first.access_token);
  clock.advance(3_600_000);
  t.equal((await service.introspect(first.access_token)).active, false);
  const fourth = await refreshed(service, third.refresh_token);
  t.not(fourth.access_token, first.access_token, 'an expired one does not come back');
});

t.test('extend: a revoked access token stays revoked', async (t) => {
  const service = await run(t, { config: withRefresh({ access_token: 'extend' }) });
  const first = await tokens(service);
  await service.post('/oauth2/revoke', { token: first.access_token }, basic(web));
  const second = await refreshed(service, first.refresh_token);
  t.not(second.access_token, first.access_token);
  t.equal((await service.introspect(first.access_token)).active, false);
});

t.test('extend: a client whose access tokens are JWTs gets new ones', async (t) => {
  const service = await run(t, { config: withRefresh({ access_token: 'extend' }) });
  const first = await tokens(service, {}, webJwt);
  t.not((await refreshed(service, first.refresh_token, {}, webJwt)).access_token, first.access_token);
});

t.test('T43: revoking a refresh token ends the family and its access tokens, opaque and JWT', async (t) => {
  const service = await run(t);
  for (const client of [web, webJwt]) {
    const first = await tokens(service, {}, client);
    const second = await refreshed(service, first.refresh_token, {}, client);
    t.equal((await service.post('/oauth2/revoke', { token: second.refresh_token }, basic(client))).status, 200);
    for (const { access_token } of [first, second]) t.equal((await service.introspect(access_token)).active, false);
    t.equal(await error(refresh(service, second.refresh_token, {}, client)), refused);
  }
});

t.test('the refresh token of another client is not revoked, and stays valid', async (t) => {
  const service = await run(t);
  const { refresh_token } = await tokens(service);
  t.equal(await error(service.post('/oauth2/revoke', { token: refresh_token }, basic(other))), refused);
  t.equal((await refresh(service, refresh_token)).status, 200);
});

t.test('a refresh token is active only for its client', async (t) => {
  const service = await run(t);
  const { refresh_token } = await tokens(service);
  t.match(await service.introspect(refresh_token, web), { active: true, client_id: 'web', sub: 'alice' });
  t.strictSame(await service.introspect(refresh_token, gateway), { active: false });
  await refreshed(service, refresh_token);
  t.strictSame(await service.introspect(refresh_token, web), { active: false });
});

t.test('without the refresh_token grant a code gives no refresh token', async (t) => {
  const clients = configuration().clients.map((client) =>
    client.client_id === 'web' ? { ...client, grant_types: ['authorization_code' as const] } : client,
  );
  const service = await run(t, { config: { clients } });
  const answer = (await (await redeem(service, await code(service))).json()) as object;
  t.notOk('refresh_token' in answer);
});

t.test('a JWT, an access token and a changed token are not refresh tokens', async (t) => {
  const service = await run(t);
  const { access_token, refresh_token } = await tokens(service);
  for (const text of [access_token, `${refresh_token}x`, refresh_token.slice(0, -1), refresh_token.toUpperCase(), 'x'])
    t.equal(await error(refresh(service, text)), refused);
  t.equal((await refresh(service, refresh_token)).status, 200);
});

t.test('a token counts as issued only when the store has it', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  const rotateRefreshToken = async () => Promise.reject(new StorageUnavailable('the disk is full'));
  const service = await run(t, { directory, records: { ...records, rotateRefreshToken } });
  const { refresh_token } = await tokens(service);
  t.equal((await refresh(service, refresh_token)).status, 503);
  const name = 'gatehouse_authorization_tokens_issued_total';
  const counted = await service.service.metrics.registry.getSingleMetricAsString(name);
  t.match(counted, /grant_type="authorization_code",format="opaque"\} 1/);
  t.notMatch(counted, /refresh_token/);
});
