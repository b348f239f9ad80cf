import { type JWTPayload, SignJWT } from 'jose';
import t from 'tap';
import { basic, run, shop } from '../running-service.ts';

const secret = Buffer.alloc(32, 7);
const signing = { alg: 'HS256', secret_base64url: secret.toString('base64url') } as const;
const now = Math.floor(Date.now() / 1000);
const claims = {
  iss: 'http://localhost:8081',
  sub: 'shop-jwt',
  aud: 'https://api.example.com',
  client_id: 'shop-jwt',
  scope: 'orders.read',
  iat: now,
  exp: now + 600,
  jti: 'a-jti-of-a-verifier-----',
};

/** As a verifier, which also has the secret, can make it. */
function forged(changes: Readonly<Record<string, unknown>>): Promise<string> {
  const payload = { ...claims, ...changes } as JWTPayload;
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(secret);
}

t.test('with HS256 a verifier can also sign: a token with claims in another form than ours is rejected', async (t) => {
  const service = await run(t, { config: { signing } });
  t.match(await service.introspect(await forged({})), { active: true, sub: 'shop-jwt' });
  t.match(await service.introspect(await forged({ gid: 'g', auth_time: 5, aud: ['a', 'b'] })), { active: true });
  const odd: Record<string, readonly unknown[]> = {
    sub: [undefined, 5, null, ['shop-jwt'], {}],
    aud: [undefined, 5, null, [5], {}],
    client_id: [undefined, 5, null, ['shop-jwt'], {}],
    scope: [undefined, 5, null, ['orders.read']],
    iat: [undefined, null, `${now}`, {}],
    exp: [undefined, null, `${now + 600}`, [now + 600]],
    jti: [undefined, 5, null, ['x'], {}],
    gid: [5, null, ['x'], {}],
    app_id: [5, null],
    username: [5, null, {}],
    auth_time: ['5', null],
    iss: [undefined, 'http://localhost:8082', ['http://localhost:8081']],
  };
  for (const [claim, values] of Object.entries(odd))
    for (const value of values) {
      const token = await forged({ [claim]: value });
      const title = `${claim}: ${JSON.stringify(value)}`;
      t.strictSame(await service.introspect(token), { active: false }, title);
      const revoked = await service.post('/oauth2/revoke', { token }, basic({ ...shop, id: 'shop-jwt' }));
      t.strictSame([revoked.status, await revoked.text()], [200, ''], `${title}, as any unknown token`);
    }
  t.notMatch(service.logged(), /"msg":"failed"/);
});
