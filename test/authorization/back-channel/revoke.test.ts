import t from 'tap';
import { basic, other, run, shop } from '../running-service.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };

t.test("a client's own token is revoked, with an empty 200", async (t) => {
  const service = await run(t);
  for (const client of [shop, shopJwt]) {
    const [token, untouched] = [await service.token({}, client), await service.token({}, client)];
    const response = await service.post('/oauth2/revoke', { token, token_type_hint: 'refresh_token' }, basic(client));
    t.strictSame([response.status, await response.text()], [200, '']);
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.strictSame(await service.introspect(token), { active: false }, 'a wrong hint changes nothing');
    t.equal((await service.introspect(untouched)).active, true);
    t.equal((await service.post('/oauth2/revoke', { token }, basic(client))).status, 200, 'again');
  }
});

t.test('an unknown token gets the same answer as a revoked one (RFC 7009 §2.2)', async (t) => {
  const service = await run(t);
  for (const token of ['x', `at_${'A'.repeat(49)}`, 'a.b.c', 'é', "'; DROP TABLE access_token; --"]) {
    const response = await service.post('/oauth2/revoke', { token, token_type_hint: 'nonsense' }, basic(shop));
    t.strictSame([response.status, await response.text()], [200, ''], token);
  }
});

t.test("another client's token is invalid_grant, and stays active", async (t) => {
  const service = await run(t);
  for (const owner of [shop, shopJwt]) {
    const token = await service.token({}, owner);
    const response = await service.post('/oauth2/revoke', { token }, basic(other));
    t.strictSame([response.status, ((await response.json()) as { error: string }).error], [400, 'invalid_grant']);
    t.equal((await service.introspect(token)).active, true);
  }
});

t.test('a request without client authentication or without a token revokes nothing', async (t) => {
  const service = await run(t);
  const token = await service.token();
  t.equal((await service.post('/oauth2/revoke', { token })).status, 401);
  t.equal((await service.post('/oauth2/revoke', { token }, basic({ ...shop, secret: 'wrong' }))).status, 401);
  t.equal((await service.post('/oauth2/revoke', {}, basic(shop))).status, 400);
  t.equal((await service.introspect(token)).active, true);
});

t.test('an expired JWT is still verified, so that its owner is known', async (t) => {
  let offset = 0;
  const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() };
  const service = await run(t, { clock });
  const token = await service.token({}, shopJwt);
  offset = 1_000_000;
  t.equal((await service.post('/oauth2/revoke', { token }, basic(shopJwt))).status, 200);
  t.equal((await service.post('/oauth2/revoke', { token }, basic(other))).status, 400);
});

t.test('a revocation survives a restart', async (t) => {
  const first = await run(t);
  const [opaque, jwt] = [await first.token(), await first.token({}, shopJwt)];
  await first.post('/oauth2/revoke', { token: opaque }, basic(shop));
  await first.post('/oauth2/revoke', { token: jwt }, basic(shopJwt));
  await first.stop();
  const second = await run(t, { directory: first.directory });
  t.strictSame([await second.introspect(opaque), await second.introspect(jwt)], [{ active: false }, { active: false }]);
});
