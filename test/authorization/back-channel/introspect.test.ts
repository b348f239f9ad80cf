import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { tokens } from '../grant-flow.ts';
import { basic, configuration, gateway, other, run, shop, web } from '../running-service.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };
const inactive = { active: false };

t.test('an opaque token is active with the members of RFC 7662', async (t) => {
  const service = await run(t);
  const answer = await service.introspect(await service.token({ scope: 'orders.read' }));
  t.match(answer, { exp: Number, iat: Number });
  t.equal(Number(answer.exp) - Number(answer.iat), 3600);
  t.strictSame(
    { ...answer, exp: 0, iat: 0 },
    {
      active: true,
      scope: 'orders.read',
      client_id: 'shop',
      token_type: 'Bearer',
      exp: 0,
      iat: 0,
      sub: 'shop',
      aud: 'https://api.example.com',
      iss: 'http://localhost:8081',
    },
  );
});

t.test('a JWT of ours is active with its claims', async (t) => {
  const service = await run(t);
  const token = await service.token({}, shopJwt);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  t.strictSame(await service.introspect(token), { active: true, token_type: 'Bearer', ...claims });
});

t.test("a user's JWT is answered with the username, as an opaque token is, and ends with the user", async (t) => {
  const service = await run(t);
  const { access_token } = await tokens(service, {}, { id: 'web-jwt', secret: web.secret });
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
  t.equal(claims.username, undefined);
  t.strictSame(await service.introspect(access_token), {
    active: true,
    token_type: 'Bearer',
    ...claims,
    username: 'alice',
  });
  const { accounts } = service.service;
  Object.assign(service.service, { accounts: { ...accounts, bySubject: async () => undefined } });
  t.strictSame(await service.introspect(access_token), inactive);
});

t.test('the answer forbids caching', async (t) => {
  const service = await run(t);
  const response = await service.post('/oauth2/introspect', { token: 'x' }, basic(gateway));
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
});

t.test('T42: for a client without the permission every token is inactive, including its own', async (t) => {
  const service = await run(t);
  for (const token of [await service.token(), await service.token({}, shopJwt)]) {
    t.strictSame(await service.introspect(token, shop), inactive);
    t.strictSame(await service.introspect(token, other), inactive);
  }
});

t.test('a caller that fails to authenticate gets 401, and a request without a token gets 400', async (t) => {
  const service = await run(t);
  t.equal((await service.post('/oauth2/introspect', { token: 'x' })).status, 401);
  t.equal((await service.post('/oauth2/introspect', {}, basic(gateway))).status, 400);
  t.equal(
    (await service.post('/oauth2/introspect?token=x', { token: 'x' }, basic(gateway))).status,
    400,
    'a token never stands in the URI',
  );
});

t.test('the answer for an unknown token says only that it is inactive', async (t) => {
  const service = await run(t);
  const unknown = [
    'x',
    'at_',
    `at_${'A'.repeat(49)}`,
    '..',
    'a.b.c',
    'e30.e30.e30',
    '\0',
    'é',
    ' ',
    `${'a'.repeat(9000)}.b.c`,
    "' OR 1=1 --",
  ];
  for (const token of unknown)
    t.strictSame(await service.introspect(token), inactive, JSON.stringify(token.slice(0, 20)));
});

t.test('an expired token is inactive', async (t) => {
  let offset = 0;
  const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() };
  const service = await run(t, { clock });
  const [opaque, jwt] = [await service.token(), await service.token({}, shopJwt)];
  offset = 899_000;
  t.equal((await service.introspect(jwt)).active, true);
  offset = 900_000;
  t.strictSame(await service.introspect(jwt), inactive);
  t.equal((await service.introspect(opaque)).active, true);
  offset = 3_600_000;
  t.strictSame(await service.introspect(opaque), inactive);
});

t.test('the tokens of a client that is no longer registered are inactive', async (t) => {
  const first = await run(t);
  const tokens = [await first.token(), await first.token({}, shopJwt)];
  const clients = configuration().clients.filter(({ client_id }) => client_id === 'gateway');
  const second = await run(t, { directory: first.directory, config: { clients } });
  for (const token of tokens) t.strictSame(await second.introspect(token), inactive);
});

t.test('T24: a JWT that differs from the one we signed is inactive', async (t) => {
  const service = await run(t);
  const token = await service.token({}, shopJwt);
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const forged = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
  const hmac = await new SignJWT(claims)
    .setProtectedHeader({ ...header, alg: 'HS256' })
    .sign(Buffer.from('a'.repeat(32)));
  const forgeries: [string, string][] = [
    ['another key under our kid', forged],
    ['HS256 under our kid', hmac],
    ['alg none', `${encode({ ...header, alg: 'none' })}.${body}.`],
    ['alg none with a signature', `${encode({ ...header, alg: 'none' })}.${body}.${signature}`],
    ['more scope', `${head}.${encode({ ...claims, scope: 'admin' })}.${signature}`],
    ['an unknown critical header', `${encode({ ...header, crit: ['x'], x: 1 })}.${body}.${signature}`],
    ['a kid that is a path', `${encode({ ...header, kid: '../../etc/passwd' })}.${body}.${signature}`],
    ['no kid', `${encode({ alg: header.alg, typ: header.typ })}.${body}.${signature}`],
    ['a key of its own', `${encode({ ...header, jwk: {}, jku: 'http://127.0.0.1:1/' })}.${body}.${signature}`],
    ['swapped parts', `${body}.${head}.${signature}`],
    ['without a signature', `${head}.${body}.`],
    ['two signatures', `${token}.${signature}`],
  ];
  for (const [title, text] of forgeries) t.strictSame(await service.introspect(text), inactive, title);
  t.equal((await service.introspect(token)).active, true);
});

t.test('a JWT of another issuer that shares our keys is inactive', async (t) => {
  const first = await run(t, { config: { issuer: 'http://localhost:8081/one' } });
  const response = await first.post('/one/oauth2/token', { grant_type: 'client_credentials' }, basic(shopJwt));
  const { access_token } = (await response.json()) as { access_token: string };
  const second = await run(t, { directory: first.directory });
  t.strictSame(await second.introspect(access_token), inactive);
});

t.test('a token from a clock that was a year ahead is inactive after the clock is corrected', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock });
  const year = 365 * 86_400_000;
  const issue = async () => [await service.token(), await service.token({}, { id: 'shop-jwt', secret: shop.secret })];
  const [hour, far] = [3_600_000, year].map((ahead) => async () => {
    clock.advance(ahead);
    const tokens = await issue();
    clock.advance(-ahead);
    return Promise.all(tokens.map(async (token) => (await service.introspect(token)).active));
  });
  t.strictSame(await hour?.(), [true, true], 'an hour is a mistake that ends by itself');
  t.strictSame(await far?.(), [false, false]);
});
