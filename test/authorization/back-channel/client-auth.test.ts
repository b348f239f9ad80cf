import t from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import { computed, noteCalls } from '../../support/computed.ts';
import { type Running, run, shop } from '../running-service.ts';

const grant = { grant_type: 'client_credentials' };
const header = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });

async function answer(service: Running, headers: Record<string, string>, form: Record<string, string> = {}) {
  const response = await service.post('/oauth2/token', { ...grant, ...form }, headers);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

t.test('identifier and secret may be form-encoded inside Basic (RFC 6749 §2.3.1), or not', async (t) => {
  const secret = 'a+b%20c d:é';
  const clients = [
    {
      client_id: 'https://shop.example/?a=1',
      client_secret: secret,
      scope: 'a',
      grant_types: ['client_credentials' as const],
      introspect: false,
    },
  ];
  const service = await run(t, { config: { clients } });
  const id = encodeURIComponent('https://shop.example/?a=1');
  t.equal((await answer(service, header(`${id}:${encodeURIComponent(secret)}`))).status, 200, 'encoded');
  t.equal(
    (await answer(service, header(`${id}:${encodeURIComponent(secret).replaceAll('%20', '+')}`))).status,
    200,
    'with + for a space',
  );
  t.equal((await answer(service, header(`${id}:a+b c`))).status, 401);
});

t.test('a secret that a client did not encode is read as written', async (t) => {
  const clients = [
    {
      client_id: 'raw',
      client_secret: '100%+sure:really',
      scope: 'a',
      grant_types: ['client_credentials' as const],
      introspect: false,
    },
  ];
  const service = await run(t, { config: { clients } });
  t.equal((await answer(service, header('raw:100%+sure:really'))).status, 200);
});

t.test('client_secret_sha256 is the hash of the secret', async (t) => {
  const client_secret_sha256 = sha256('s3cret').toString('hex');
  const clients = [
    {
      client_id: 'hashed',
      client_secret_sha256,
      scope: 'a',
      grant_types: ['client_credentials' as const],
      introspect: false,
    },
  ];
  const service = await run(t, { config: { clients } });
  t.equal((await answer(service, header('hashed:s3cret'))).status, 200);
  t.equal((await answer(service, header(`hashed:${client_secret_sha256}`))).status, 401, 'which itself opens nothing');
});

t.test('every unusable authentication is 401 invalid_client with a Basic challenge', async (t) => {
  const service = await run(t);
  const attempts: [string, Record<string, string>, Record<string, string>?][] = [
    ['nothing', {}],
    ['an unknown client', header(`nobody:${shop.secret}`)],
    ['a wrong secret', header('shop:wrong')],
    ['an empty secret', header('shop:')],
    ['an empty identifier', header(`:${shop.secret}`)],
    ['no colon', header('shop')],
    ['not base64', { authorization: 'Basic ***' }],
    ['no credentials', { authorization: 'Basic' }],
    ['another scheme', { authorization: `Bearer ${shop.secret}` }],
    ['not UTF-8', { authorization: `Basic ${Buffer.from([0x73, 0xff, 0x3a, 0x61]).toString('base64')}` }],
    ['a secret for the wrong client', header(`other:${shop.secret}`)],
    ['a name alone, of a client with a secret', {}, { client_id: 'shop' }],
    ['a wrong secret in the form', {}, { client_id: 'shop', client_secret: 'wrong' }],
    ['a secret in the form without a name', {}, { client_secret: shop.secret }],
    ['a client named like a member of every object', header('constructor:x')],
  ];
  for (const [title, headers, form] of attempts) {
    const { status, headers: answered, body } = await answer(service, headers, form);
    t.equal(status, 401, title);
    t.equal(answered.get('www-authenticate'), 'Basic realm="http://localhost:8081", error="invalid_client"');
    const request_id = answered.get('x-request-id');
    const error_description = 'Client authentication failed.';
    t.strictSame(JSON.parse(body), { error: 'invalid_client', error_description, request_id });
  }
});

t.test('the scheme name is case-insensitive (RFC 9110 §11.1)', async (t) => {
  const service = await run(t);
  const { authorization } = header(`shop:${shop.secret}`);
  for (const scheme of ['basic', 'BASIC', 'bAsIc']) {
    t.equal((await answer(service, { authorization: authorization.replace('Basic', scheme) })).status, 200);
  }
});

t.test('a client may repeat its identifier in the form', async (t) => {
  const service = await run(t);
  t.equal((await answer(service, header(`shop:${shop.secret}`), { client_id: 'shop' })).status, 200);
});

t.test(
  'T31: wrong secrets of one client from one address lead to 429, and a right secret is never locked out',
  async (t) => {
    const service = await run(t, { config: { login: { max_failures: 3, window: 900_000 } } });
    for (let count = 0; count < 3; count++) t.equal((await answer(service, header('shop:wrong'))).status, 401);
    const refused = await answer(service, header('shop:wrong'));
    t.equal(refused.status, 429);
    t.ok(Number(refused.headers.get('retry-after')) > 890);
    t.equal(refused.headers.get('cache-control'), 'no-store');
    t.equal((await answer(service, header(`shop:${shop.secret}`))).status, 200, 'who knows the secret is not stopped');
    t.equal((await answer(service, header('other:wrong'))).status, 401, 'another client is not touched');
  },
);

t.test('T31: the limit ends with its window', async (t) => {
  let now = 0;
  const clock = { now: () => Date.now(), monotonic: () => now };
  const service = await run(t, { clock, config: { login: { max_failures: 1, window: 60_000 } } });
  await answer(service, header('shop:wrong'));
  t.equal((await answer(service, header('shop:wrong'))).status, 429);
  now = 60_001;
  t.equal((await answer(service, header('shop:wrong'))).status, 401);
});

t.test('T32: an unknown client gets the same body, headers and throttle as a wrong secret', async (t) => {
  const service = await run(t, { config: { login: { max_failures: 2, window: 900_000 } } });
  const seen = async (id: string) => {
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await answer(service, header(`${id}:wrong`)));
    return answers.map(({ status, headers, body }) => [
      status,
      { ...JSON.parse(body), request_id: 'its own' },
      headers.get('www-authenticate'),
      headers.get('retry-after'),
    ]);
  };
  t.strictSame(await seen('nobody'), await seen('shop'));
});

t.test('T32: refusing an unknown client takes as much work as refusing a wrong secret', async (t) => {
  const service = await run(t);
  const list = computed(t);
  noteCalls(t, service.service.records, list);
  const spent = async (id: string) => {
    await answer(service, header(`${id}:wrong-secret`));
    // The order of the hashes reveals nothing, because a client waits for all of them.
    return list.splice(0).sort();
  };
  await spent('shop');
  const known = await spent('shop');
  t.comment(known.join(', '));
  t.ok(known.includes('comparison of 32'));
  for (const id of ['nobo', 'shot', 'zzzz']) t.strictSame(await spent(id), known, id);
});
