import { decodeJwt, decodeProtectedHeader } from 'jose';
import t from 'tap';
import { makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { LONGEST_STEP } from '../../../src/base/clock.ts';
import { accessTokenHash } from '../../../src/oauth/access-token-hash.ts';
import { configuration } from '../running-service.ts';
import { exchange } from './exchange.ts';

const grant = 'refresh_token';

async function begun(t: Parameters<typeof exchange>[0], client = 'web', changes: Parameters<typeof exchange>[1] = {}) {
  const asked = await exchange(t, changes);
  const audience = ['https://api.example.com', 'https://other.example.com'];
  const code = await asked.code({ clientId: client, scope: 'orders.read orders.write', audience });
  const first = await asked.ask('authorization_code', client, asked.redeeming(code));
  const token = first.refresh_token ?? '';
  const using = (refresh_token: string, more: Record<string, string> = {}) => ({ refresh_token, ...more });
  return { ...asked, first, token, using };
}

t.test('a refresh gives new tokens of the same grant', async (t) => {
  const { ask, token, using, access, first } = await begun(t);
  const next = await ask(grant, 'web', using(token));
  t.match(next, { scope: 'orders.read orders.write', refresh_token: /^rt_/, token_type: 'Bearer' });
  t.not(next.refresh_token, token);
  t.not(next.access_token, first.access_token);
  t.match(await access(next.access_token), {
    clientId: 'web',
    subject: 'alice',
    audience: ['https://api.example.com', 'https://other.example.com'],
    grantId: (await access(first.access_token))?.grantId,
    authTime: Number,
  });
});

t.test(
  'a refresh may ask for less scope and fewer resources, never for more; the next token keeps everything',
  async (t) => {
    const { ask, token, using, access, refusal } = await begun(t);
    t.match(await refusal(grant, 'web', using(token, { scope: 'admin' })), { code: 'invalid_scope' });
    t.match(await refusal(grant, 'web', using(token, { resource: 'https://third.example.com' })), {
      code: 'invalid_target',
    });
    const less = await ask(grant, 'web', using(token, { scope: 'orders.read', resource: 'https://other.example.com' }));
    t.equal(less.scope, 'orders.read');
    t.strictSame((await access(less.access_token))?.audience, ['https://other.example.com']);
    const whole = await ask(grant, 'web', using(less.refresh_token ?? ''));
    t.equal(whole.scope, 'orders.read orders.write');
    t.equal((await access(whole.access_token))?.audience.length, 2);
  },
);

t.test(
  "a token that is not a refresh token of this client is refused, and another client's attempt is logged",
  async (t) => {
    const { token, using, refusal, audited, ask } = await begun(t);
    const invalid = (detail: string) => ({ code: 'invalid_grant', detail: `refresh token: ${detail}` });
    t.match(await refusal(grant, 'web', {}), { description: 'The parameter refresh_token is missing.' });
    t.match(await refusal(grant, 'web', using('rt_x')), invalid('malformed'));
    t.match(await refusal(grant, 'web', using(`${token.slice(0, -4)}AAAA`)), { code: 'invalid_grant' });
    const nobodys = makeOpaqueToken(tokenPrefixes.refreshToken);
    t.match(await refusal(grant, 'web', using(nobodys)), invalid('unknown'));
    t.strictSame(audited, []);
    t.match(await refusal(grant, 'web-retry', using(token)), invalid('belongs to another client'));
    t.match(audited, [
      {
        event: 'refresh_refused',
        client_id: 'web-retry',
        grant_id: String,
        detail: "another client's token",
        address: '192.0.2.1',
        request_id: 'r1',
      },
    ]);
    t.ok(await ask(grant, 'web', using(token)), 'which harms nobody');
  },
);

t.test('a token that was used a moment ago is only refused; later, reuse ends everything of the grant', async (t) => {
  const { token, using, refusal, audited, ask, access, clock, service } = await begun(t);
  const next = await ask(grant, 'web', using(token));
  const leeway = service.config.tokens.refresh.reuse_leeway;
  t.ok(leeway > 0);
  clock.advance(leeway);
  t.match(await refusal(grant, 'web', using(token)), { detail: 'refresh token: used a moment ago' });
  t.match(audited.at(-1), { event: 'refresh_refused', detail: 'used a moment ago', client_id: 'web' });
  t.ok(await access(next.access_token));
  clock.advance(1000);
  t.match(await refusal(grant, 'web', using(token)), {
    code: 'invalid_grant',
    detail: 'refresh token: used before: all tokens of this grant are revoked',
  });
  t.match(audited.at(-1), {
    event: 'refresh_reuse',
    client_id: 'web',
    sub: 'alice',
    grant_id: String,
    address: '192.0.2.1',
    request_id: 'r1',
  });
  t.equal(await access(next.access_token), undefined);
  t.match(await refusal(grant, 'web', using(next.refresh_token ?? '')), { detail: 'refresh token: revoked' });
});

t.test('a token is valid until its last second, and a used one is recognized until its grant ends', async (t) => {
  const { token, using, refusal, clock, ask, service } = await begun(t);
  const { ttl, absolute_ttl } = service.config.tokens.refresh;
  clock.advance(ttl - 1000);
  const next = await ask(grant, 'web', using(token));
  clock.advance(ttl);
  t.match(await refusal(grant, 'web', using(next.refresh_token ?? '')), { detail: 'refresh token: expired' });
  clock.advance(absolute_ttl - 2 * ttl + 1000);
  t.match(await refusal(grant, 'web', using(token)), { detail: 'refresh token: expired' });
});

t.test('a clock that steps back by a day leaves a token valid, and a larger step does not', async (t) => {
  const { token, using, refusal, clock, ask } = await begun(t);
  clock.advance(-LONGEST_STEP * 1000 - 1000);
  const detail = 'refresh token: issued by a clock that was far ahead';
  t.match(await refusal(grant, 'web', using(token)), { code: 'invalid_grant', detail });
  clock.advance(1000);
  t.match(await ask(grant, 'web', using(token)), { refresh_token: /^rt_/ });
});

t.test('a lost answer is repeated for the same request within its window, until the new token is used', async (t) => {
  const { token, using, ask, refusal, clock } = await begun(t, 'web-retry');
  const question = using(token, { scope: 'orders.write orders.read', resource: 'https://api.example.com' });
  const answer = await ask(grant, 'web-retry', question);
  clock.advance(10_000);
  const again = await ask(grant, 'web-retry', { ...question, scope: 'orders.read orders.write' });
  t.strictSame(again, { ...answer, expires_in: answer.expires_in - 10 }, 'scope has no order');
  clock.advance(20_000);
  t.match(await ask(grant, 'web-retry', question), { access_token: answer.access_token });
  const other = await begun(t, 'web-retry');
  await other.ask(grant, 'web-retry', other.using(other.token, { scope: 'orders.read' }));
  for (const more of [
    { scope: 'orders.write' },
    {},
    { scope: 'orders.read', resource: 'https://api.example.com' },
  ] as Record<string, string>[])
    t.match(await other.refusal(grant, 'web-retry', other.using(other.token, more)), { detail: /used a moment ago/ });
  clock.advance(1000);
  t.match(await refusal(grant, 'web-retry', question), { detail: /all tokens of this grant/ }, 'after the window');
  const used = await begun(t, 'web-retry');
  const next = await used.ask(grant, 'web-retry', used.using(used.token));
  await used.ask(grant, 'web-retry', used.using(next.refresh_token ?? ''));
  t.match(await used.refusal(grant, 'web-retry', used.using(used.token)), { detail: /used a moment ago/ });
  const plain = await begun(t);
  await plain.ask(grant, 'web', plain.using(plain.token));
  t.match(await plain.refusal(grant, 'web', plain.using(plain.token)), { detail: /used a moment ago/ }, 'no window');
});

t.test('a repeated answer whose access token has expired says so', async (t) => {
  const { tokens } = configuration();
  const { token, using, ask, clock } = await begun(t, 'web-retry', {
    tokens: { ...tokens, access: { ...tokens.access, ttl: 5000 } },
  });
  const answer = await ask(grant, 'web-retry', using(token));
  clock.advance(8000);
  t.match(await ask(grant, 'web-retry', using(token)), { access_token: answer.access_token, expires_in: 0 });
});

t.test('a refresh that another one overtook is judged by the current state', async (t) => {
  const { token, using, refusal, overtake, service, ask } = await begun(t);
  overtake({ rotateRefreshToken: async () => 'lost' });
  t.match(await refusal(grant, 'web', using(token)), { detail: 'refresh token: ended meanwhile' });
  const { rotateRefreshToken } = service.records;
  overtake({
    async rotateRefreshToken(rotation) {
      await rotateRefreshToken.call(service.records, rotation);
      return 'lost';
    },
  });
  t.match(await refusal(grant, 'web', using(token)), { detail: 'refresh token: used a moment ago' });
  overtake({});
  t.match(await refusal(grant, 'web', using(token)), { detail: 'refresh token: used a moment ago' });
  t.ok(ask);
});

t.test('a user who no longer exists gets no tokens', async (t) => {
  const asked = await begun(t);
  asked.service.accounts.bySubject = async () => undefined;
  t.match(await asked.refusal(grant, 'web', asked.using(asked.token)), {
    detail: 'refresh token: the user no longer exists',
  });
});

t.test("a JWT in a repeated answer is signed with the user's current key, and has the same claims", async (t) => {
  const clients = configuration().clients.map((client) => ({ ...client, retry_window: 30_000 }));
  const { token, using, ask, service, now } = await begun(t, 'web-jwt', { clients, signing: { user_keys: true } });
  const answer = await ask(grant, 'web-jwt', using(token));
  const same = await ask(grant, 'web-jwt', using(token));
  t.equal(same.access_token, answer.access_token, 'while its key is the same');
  await service.records.rotateUserKey({ subject: 'alice', until: now() + 900, now: now() });
  const repeated = await ask(grant, 'web-jwt', using(token));
  t.strictSame(decodeJwt(repeated.access_token), decodeJwt(answer.access_token));
  t.equal(repeated.refresh_token, answer.refresh_token);
  const [before, after] = [answer, repeated].map(({ access_token }) => decodeProtectedHeader(access_token));
  t.match(after, { typ: before?.typ, alg: before?.alg });
  t.not(after?.kid, before?.kid);
});

t.test('the ID token of a repeated answer fits the access token that is signed again', async (t) => {
  const { openid, clients: all } = configuration();
  const scope = 'openid orders.read';
  const clients = all.map((client) => ({ ...client, scope, retry_window: 30_000 }));
  const asked = await exchange(t, { clients, signing: { user_keys: true }, openid: { ...openid, enabled: true } });
  const { ask, code, redeeming, service, now } = asked;
  const login = await code({ clientId: 'web-jwt', scope, sessionId: 'a-session', openid: {} });
  const { refresh_token = '' } = await ask('authorization_code', 'web-jwt', redeeming(login));
  const answer = await ask(grant, 'web-jwt', { refresh_token });
  const same = await ask(grant, 'web-jwt', { refresh_token });
  t.equal(same.id_token, answer.id_token, 'while the key is the same');
  await service.records.rotateUserKey({ subject: 'alice', until: now() + 900, now: now() });
  const repeated = await ask(grant, 'web-jwt', { refresh_token });
  t.not(repeated.access_token, answer.access_token);
  const [before, after] = [answer, repeated].map(({ id_token = '' }) => decodeJwt(id_token));
  t.equal(before?.at_hash, accessTokenHash('RS256', answer.access_token));
  t.strictSame(after, { ...before, at_hash: accessTokenHash('RS256', repeated.access_token) });
});

t.test('if a key is rotated while an answer is repeated, the service tries again', async (t) => {
  const clients = configuration().clients.map((client) => ({ ...client, retry_window: 30_000 }));
  const asked = await begun(t, 'web-jwt', { clients, signing: { user_keys: true } });
  const { token, using, ask, service, overtake } = asked;
  const answer = await ask(grant, 'web-jwt', using(token));
  let looked = 0;
  const { isStillTheirs } = service.records;
  overtake({ isStillTheirs: async (key) => ++looked > 1 && isStillTheirs.call(service.records, key) });
  t.equal((await ask(grant, 'web-jwt', using(token))).access_token, answer.access_token);
  t.equal(looked, 2);
});

t.test('a repeated answer whose token no user key signed is unchanged', async (t) => {
  const clients = configuration().clients.map((client) => ({ ...client, retry_window: 30_000 }));
  for (const client of ['web', 'web-jwt']) {
    const { token, using, ask } = await begun(t, client, { clients });
    const answer = await ask(grant, client, using(token));
    t.equal((await ask(grant, client, using(token))).access_token, answer.access_token);
  }
});
