import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import t from 'tap';
import { jwtOf, kidOf, runWithUserKeys } from '../authorization/user-key-flow.ts';
import { witness } from '../support/witness.ts';
import { follow } from './revoked.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const FETCHES = 'gatehouse_user_key_fetches{server="main"}';

t.test('a flood of unknown kids makes at most the allowed fetches, and evicts no good key', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service, { changes: { cache: { size: 100 } } });
  const good = (await jwtOf(service)).access_token;
  t.equal(await gateway.said(good), '200');
  const again = (await jwtOf(service)).access_token;
  const payload = encode(decodeJwt(good));
  const forged = () =>
    [encode({ alg: 'ES256', typ: 'at+jwt', kid: randomBytes(16).toString('base64url') }), payload, 'AAAA'].join('.');
  const [before, began] = [await gateway.metric(FETCHES), performance.now()];
  const said = new Set<string>();
  for (let round = 0; round < 20; round++)
    for (const each of await Promise.all(Array.from({ length: 50 }, () => gateway.said(forged())))) said.add(each);
  const seconds = (performance.now() - began) / 1000;
  const fetches = (await gateway.metric(FETCHES)) - before;
  t.ok(fetches <= 128 + 32 * seconds + 1, `${fetches} fetches in ${seconds.toFixed(1)} s`);
  const asked = await (await fetch(`${service.admin}/metrics`)).text();
  t.match(
    asked,
    new RegExp(`answers_total\\{endpoint="user_key",outcome="unknown_key"\\} ${fetches}\n`),
    'at the service',
  );
  t.strictSame([...said].sort(), ['401 token_signature', '503 authorization_server_unavailable']);
  t.equal(await gateway.said(again), '200', 'the key of a user who was here is still here');
  t.equal((await gateway.metric(FETCHES)) - before, fetches);
});

t.test('one kid that many requests need at once is fetched once', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  const tokens = await Promise.all(Array.from({ length: 20 }, async () => (await jwtOf(service)).access_token));
  const said = await Promise.all(tokens.map((token) => gateway.said(token)));
  t.strictSame([...new Set(said)], ['200']);
  t.equal(await gateway.metric(FETCHES), 1);
});

t.test('a key verifies only for its own user and its own algorithm', async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const gateway = await follow(t, upstream, service);
  const token = (await jwtOf(service)).access_token;
  const { sign } = await service.service.userKeys.signer('alice');
  const claims = decodeJwt(token);
  t.equal(await gateway.said(token), '200');
  const forBob = await sign('at+jwt', { ...claims, sub: 'bob' });
  t.equal(kidOf(forBob), kidOf(token));
  t.equal(await gateway.said(forBob), '401 token_signature');
  const other = [encode({ alg: 'RS256', typ: 'at+jwt', kid: kidOf(token) }), ...token.split('.').slice(1)].join('.');
  t.equal(await gateway.said(other), '401 token_signature');
  t.equal(await gateway.said(token), '200');
});

t.test('secret keys are fetched by a client that may have them', async (t) => {
  const clients = [
    {
      client_id: 'web-jwt',
      client_secret: 'cs_web-secret-of-32-bytes-or-more',
      scope: 'orders.read',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://shop.example.com/callback'],
      access_token_format: 'jwt',
    },
    {
      client_id: 'gateway',
      client_secret: 'cs_gateway-secret-of-32-bytes',
      introspect: true,
      events: true,
      keys: true,
    },
  ] as const;
  const secret_base64url = randomBytes(32).toString('base64url');
  const signing = { alg: 'HS256', secret_base64url } as never;
  const service = await runWithUserKeys(t, { config: { signing, clients: clients as never } });
  const changes = { algorithms: ['HS256'], jwks_uri: undefined };
  const gateway = await follow(t, await witness(t), service, { changes });
  t.equal(await gateway.said((await jwtOf(service)).access_token), '200');
});
