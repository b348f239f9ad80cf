import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import t from 'tap';
import { settableClock } from '../../support/settable-clock.ts';
import { answered, decide, signedIn, verifier } from '../browser/walk.ts';
import { asksFor, documentHost, redirectUri, runWithDocuments } from '../documents/document-host.ts';
import { registered, runRegistering } from '../registration/registering.ts';
import { basic, type Running, run, shop } from '../running-service.ts';
import { asserted, claims, ISSUER, keyed, nowSeconds, type Signer, signer, TYPE } from './assertions.ts';

const grant = { grant_type: 'client_credentials' };

const post = async (service: Running, form: Record<string, string>, path = '/oauth2/token') => {
  const answer = await service.post(path, form);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
};

for (const alg of ['EdDSA', 'ES256', 'ES384', 'ES512', 'RS256', 'PS256'])
  t.test(`a client authenticates with a JWT that it signed with ${alg}, at three endpoints`, async (t) => {
    const { sign, jwks } = await signer(alg);
    const service = await run(t, { config: keyed(jwks) });
    const proof = async () => asserted(await sign(claims('signer')));
    const { status, body } = await post(service, { ...grant, ...(await proof()) });
    t.equal(status, 200);
    const token = body.access_token;
    t.match(await post(service, { token, ...(await proof()) }, '/oauth2/introspect'), {
      status: 200,
      body: { active: true, client_id: 'signer' },
    });
    t.equal((await post(service, { token, ...(await proof()) }, '/oauth2/revoke')).status, 200);
    t.match(await post(service, { token, ...(await proof()) }, '/oauth2/introspect'), { body: { active: false } });
  });

t.test('the metadata name the method and its algorithms only if a client uses them', async (t) => {
  const { jwks } = await signer();
  const document = async ({ url }: Running) =>
    (await fetch(`${url}/.well-known/oauth-authorization-server`)).json() as Promise<Record<string, string[]>>;
  const on = await document(await run(t, { config: keyed(jwks) }));
  for (const endpoint of ['token', 'introspection', 'revocation']) {
    t.ok(on[`${endpoint}_endpoint_auth_methods_supported`]?.includes('private_key_jwt'));
    const algorithms = on[`${endpoint}_endpoint_auth_signing_alg_values_supported`] ?? [];
    t.ok(algorithms.includes('ES256') && algorithms.includes('RS256'));
    t.notOk(algorithms.some((alg) => alg.startsWith('HS') || alg === 'none'));
  }
  const off = await document(await run(t));
  t.notOk(off.token_endpoint_auth_methods_supported?.includes('private_key_jwt'));
  t.notOk('token_endpoint_auth_signing_alg_values_supported' in off);
});

t.test('an assertion that is not acceptable is 401 invalid_client with the reason', async (t) => {
  const { sign, jwks } = await signer();
  const service = await run(t, { config: keyed(jwks) });
  const now = nowSeconds();
  const faults: readonly (readonly [changes: object, reason: RegExp, header?: object])[] = [
    [{ aud: undefined }, /aud/],
    [{ aud: `${ISSUER}/oauth2/token` }, /aud must be the issuer, with no other value/],
    [{ aud: [ISSUER, 'https://other.example'] }, /aud must be the issuer, with no other value/],
    [{ aud: [] }, /aud/],
    [{ aud: `${ISSUER}/` }, /aud/],
    [{ aud: 'https://auth.evil.example' }, /aud/],
    [{ iss: 'shop' }, /iss and sub/],
    [{ sub: 'shop' }, /iss and sub/],
    [{ iss: undefined }, /iss and sub/],
    [{ iss: '', sub: '' }, /iss and sub/],
    [{ exp: undefined }, /no exp/],
    [{ exp: now - 61 }, /expired/],
    [{ exp: now + 700 }, /more than 600 seconds/],
    [{ exp: 9e15 }, /more than 600 seconds/],
    [{ nbf: now + 120 }, /nbf or iat/],
    [{ iat: now + 120 }, /nbf or iat/],
    [{ iat: 'now' }, /nbf or iat|not a JWT/],
    [{ jti: undefined }, /jti/],
    [{ jti: '' }, /jti/],
    [{ jti: 7 }, /jti/],
    [{ jti: 'x'.repeat(256) }, /jti/],
    [{}, /typ/, { typ: 'at+jwt' }],
    [{}, /typ/, { typ: 'logout+jwt' }],
    [{}, /not a JWT/, { jku: 'https://evil.example/keys' }],
    [{}, /not a JWT/, { jwk: (await signer()).jwk }],
  ];
  for (const [changes, reason, header] of faults) {
    const answer = await post(service, { ...grant, ...asserted(await sign(claims('signer', changes), header)) });
    t.equal(answer.status, 401, JSON.stringify([changes, header]));
    t.match(answer.body, { error: 'invalid_client', error_description: reason });
    t.match(answer.headers.get('www-authenticate'), /^Basic /);
  }
  for (const text of ['x', 'a.b.c', `${'a'.repeat(20_000)}.b.c`])
    t.match(await post(service, { ...grant, ...asserted(text) }), { status: 401, body: { error: 'invalid_client' } });
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims('signer'))).toString('base64url')}.`;
  t.equal((await post(service, { ...grant, ...asserted(none) })).status, 401);
  for (const typ of ['JWT', 'client-authentication+jwt', undefined])
    t.equal(
      (await post(service, { ...grant, ...asserted(await sign(claims('signer'), { typ })) })).status,
      200,
      String(typ),
    );
  t.equal(
    (await post(service, { ...grant, ...asserted(await sign(claims('signer', { aud: [ISSUER] }))) })).status,
    200,
  );
});

t.test('a wrong signature, a foreign key, an HMAC and an unknown client get the same answer', async (t) => {
  const [own, foreign] = [await signer(), await signer()];
  const service = await run(t, { config: keyed(own.jwks) });
  const right = await own.sign(claims('signer'));
  const changed = right.replace(
    /\.[^.]+\./,
    `.${Buffer.from(JSON.stringify(claims('signer'))).toString('base64url')}.`,
  );
  const secret = Buffer.from(JSON.stringify(own.jwk));
  const hmac = await new SignJWT({ ...claims('signer') }).setProtectedHeader({ alg: 'HS256', kid: 'a' }).sign(secret);
  const attempts = {
    'a changed payload': changed,
    'a key of another client': await foreign.sign(claims('signer')),
    'an unknown key': await own.sign(claims('signer'), { kid: 'b' }),
    'an unknown client': await own.sign(claims('nobody')),
    'a client with a secret': await own.sign(claims('shop')),
    'a public client': await own.sign(claims('app')),
  };
  for (const [title, text] of Object.entries(attempts)) {
    const { status, body } = await post(service, { ...grant, ...asserted(text) });
    t.equal(status, 401, title);
    t.match(body, { error: 'invalid_client', error_description: 'Client authentication failed.' }, title);
  }
  t.match(await post(service, { ...grant, ...asserted(hmac) }), { status: 401 });
  t.equal((await post(service, { ...grant, ...asserted(right) })).status, 200);
});

t.test(
  'a client with keys cannot use a secret or nothing, and a client with a secret cannot use two methods',
  async (t) => {
    const { sign, jwks } = await signer();
    const service = await run(t, { config: keyed(jwks) });
    const headers = basic({ id: 'signer', secret: 'x' });
    t.equal((await service.post('/oauth2/token', grant, headers)).status, 401);
    t.equal((await post(service, { ...grant, client_id: 'signer' })).status, 401);
    t.equal((await post(service, { ...grant, client_id: 'signer', client_secret: 'x' })).status, 401);
    const proof = async (more = {}) => asserted(await sign(claims('signer')), more);
    const both = await service.post('/oauth2/token', { ...grant, ...(await proof()) }, basic(shop));
    t.match([both.status, await both.json()], [400, { error: 'invalid_request' }]);
    t.equal((await post(service, { ...grant, ...(await proof({ client_secret: 'x' })) })).status, 400);
    t.equal((await post(service, { ...grant, ...(await proof({ client_id: 'shop' })) })).status, 400, 'another client');
    t.equal((await post(service, { ...grant, ...(await proof({ client_id: 'signer' })) })).status, 200);
    for (const form of [{ client_assertion_type: TYPE }, { client_assertion: await sign(claims('signer')) }])
      t.equal((await post(service, { ...grant, ...form })).status, 401);
    const saml = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' };
    t.equal((await post(service, { ...grant, ...(await proof(saml)) })).status, 401);
    const query = new URLSearchParams(await proof()).toString();
    t.equal((await service.post(`/oauth2/token?${query}`, grant)).status, 400, 'never in the URI');
  },
);

t.test('an assertion works once, at any endpoint, also if many requests use it at once', async (t) => {
  const { sign, jwks } = await signer();
  const service = await run(t, { config: { ...keyed(jwks), login: { max_failures: 1_000 } } });
  const form = { ...grant, ...asserted(await sign(claims('signer'))) };
  const statuses = (await Promise.all(Array.from({ length: 20 }, () => post(service, form)))).map(
    ({ status }) => status,
  );
  t.equal(statuses.filter((status) => status === 200).length, 1);
  t.equal((await post(service, { token: 'x', ...form }, '/oauth2/introspect')).status, 401);
  const jti = randomUUID();
  t.equal((await post(service, { ...grant, ...asserted(await sign(claims('signer', { jti }))) })).status, 200);
  const again = await sign(claims('signer', { jti, exp: nowSeconds() + 9 }));
  t.equal((await post(service, { ...grant, ...asserted(again) })).status, 401, 'another JWT with the same jti');
});

t.test('an assertion is remembered for as long as it would be accepted', async (t) => {
  const clock = settableClock();
  const { sign, jwks } = await signer();
  const service = await run(t, { clock, config: keyed(jwks) });
  const exp = Math.floor(clock.now() / 1000) + 300;
  const form = { ...grant, ...asserted(await sign(claims('signer', { exp }))) };
  t.equal((await post(service, form)).status, 200);
  clock.advance(359_000);
  await service.service.records.sweep(Math.floor(clock.now() / 1000), 1000);
  t.match(await post(service, form), { status: 401, body: { error_description: 'Client authentication failed.' } });
  clock.advance(2_000);
  t.match(await post(service, form), { status: 401, body: { error_description: /expired/ } });
});

t.test('the keys at jwks_uri are read once, and again for an unknown key at most once a minute', async (t) => {
  let passed = 0;
  const clock = { now: () => Date.now(), monotonic: () => passed };
  const host = await documentHost(t);
  const [first, second] = [await signer('ES256', 'first'), await signer('ES256', 'second')];
  const jwks_uri = host.serve('/jwks.json', { body: JSON.stringify(first.jwks) });
  const service = await runWithDocuments(t, { clock, config: keyed(undefined, { jwks: undefined, jwks_uri }) });
  const use = async ({ sign }: Signer) =>
    (await post(service, { ...grant, ...asserted(await sign(claims('signer', { aud: service.issuer }))) })).status;
  t.strictSame([await use(first), await use(first), host.asked.length], [200, 200, 1]);
  host.serve('/jwks.json', { body: JSON.stringify({ keys: [first.jwk, second.jwk] }) });
  t.strictSame([await use(second), host.asked.length], [401, 1], 'too soon');
  passed += 61_000;
  t.strictSame([await use(second), await use(first), host.asked.length], [200, 200, 2]);
  host.serve('/jwks.json', { status: 500 });
  passed += 11 * 60_000;
  t.strictSame([await use(first), await use(first), host.asked.length], [200, 200, 3], 'the host is down');
  passed += 60 * 60_000;
  t.equal(await use(first), 503);
  passed += 61_000;
  host.serve('/jwks.json', { body: JSON.stringify(second.jwks) });
  t.strictSame([await use(first), await use(second)], [401, 200], 'a key that was taken back');
});

t.test('a key set that is hostile or out of reach is no authentication, and an outage is 503', async (t) => {
  const host = await documentHost(t);
  const own = await signer();
  const sets: readonly (readonly [path: string, served: Parameters<typeof host.serve>[1], status: number])[] = [
    ['/down', { status: 503 }, 503],
    ['/gone', { status: 404 }, 401],
    ['/redirect', { status: 302, headers: { location: '/jwks' } }, 401],
    ['/html', { body: '<html>' }, 401],
    ['/empty', { body: '{"keys":[]}' }, 401],
    ['/secret', { body: JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }] }) }, 401],
    ['/large', { body: ' '.repeat(70_000) + JSON.stringify(own.jwks) }, 401],
  ];
  const clients = sets.map(([path, served]) => ({
    client_id: path,
    token_endpoint_auth_method: 'private_key_jwt' as const,
    jwks_uri: host.serve(path, served),
    scope: 'orders.read',
    grant_types: ['client_credentials' as const],
  }));
  const service = await runWithDocuments(t, { config: { clients } });
  for (const [path, , status] of sets) {
    const form = { ...grant, ...asserted(await own.sign(claims(path, { aud: service.issuer }))) };
    t.equal((await post(service, form)).status, status, path);
  }
});

const code = async (service: Awaited<ReturnType<typeof runWithDocuments>>, client_id: string) => {
  const tab = await signedIn(service);
  const consent = await tab.get(asksFor(client_id, { scope: 'orders.read' }));
  const { code = '' } = answered(await decide(tab, consent, ['orders.read']));
  return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
};

t.test('a client with a document authenticates with the keys of the document', async (t) => {
  const host = await documentHost(t);
  const service = await runWithDocuments(t);
  const own = await signer();
  const jwks_uri = host.serve('/jwks.json', { body: JSON.stringify(own.jwks) });
  const method = { token_endpoint_auth_method: 'private_key_jwt' };
  for (const [path, keys] of [
    ['/inline.json', { jwks: own.jwks }],
    ['/remote.json', { jwks_uri }],
  ] as const) {
    const id = host.publish(path, { ...method, ...keys });
    const form = await code(service, id);
    t.equal((await post(service, { ...form, client_id: id })).status, 401, 'without its key');
    const client_assertion = await own.sign(claims(id, { aud: service.issuer }));
    t.equal((await post(service, { ...form, ...asserted(client_assertion) })).status, 200, path);
  }
  const secret = host.publish('/secret.json', { ...method, jwks: { keys: [{ ...own.jwk, d: 'x' }] } });
  t.match(await (await signedIn(service)).get(asksFor(secret)), { status: 400, body: /jwks has a secret key/ });
  const unusable = host.publish('/unusable.json', { ...method, jwks: { keys: [{ kty: 'EC' }] } });
  t.match(await (await signedIn(service)).get(asksFor(unusable)), { status: 400, body: /no usable public key/ });
});

t.test('strangers cannot make the service request their keys at private addresses', async (t) => {
  const host = await documentHost(t);
  const own = await signer();
  const jwks_uri = host.serve('/jwks.json', { body: JSON.stringify(own.jwks) });
  const service = await runRegistering(t);
  const method = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri };
  const { client_id: id } = await registered(service, method);
  const client_assertion = await own.sign(claims(id, { aud: service.issuer }));
  const answer = await post(service, { grant_type: 'refresh_token', ...asserted(client_assertion) });
  t.match(answer, { status: 401, body: { error_description: /no public address/ } });
  t.equal(host.connections(), 0);
});

t.test('a client that registers itself authenticates with the keys that it registered', async (t) => {
  const own = await signer();
  const service = await runRegistering(t);
  const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: own.jwks };
  const information = await registered(service, method);
  t.match(information, method);
  t.notOk('client_secret' in information);
  const { client_id: id } = information;
  const form = await code(service, id);
  const client_assertion = await own.sign(claims(id, { aud: service.issuer }));
  t.equal((await post(service, { ...form, ...asserted(client_assertion) })).status, 200);
});
