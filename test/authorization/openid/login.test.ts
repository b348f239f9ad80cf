import { createHash } from 'node:crypto';
import t from 'tap';
import { subjectFor } from '../../../src/authorization/openid/subject.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answered, decide, logIn, openTab, signedIn } from '../browser/walk.ts';
import { refreshed, verifier } from '../grant-flow.ts';
import { basic, callback } from '../running-service.ts';
import {
  callback2,
  loggedIn,
  type OpenidAnswer,
  openidPath,
  redeemed,
  rp,
  rp2,
  runProvider,
  userinfo,
  verified,
  walk,
} from './provider.ts';

/** Logs in more than a hundred times: 18 s, and 40 s on two cores that other programs use. */
t.setTimeout(120_000);

t.test('an ID token has the claims of OpenID Connect Core, signed with RS256 by default', async (t) => {
  const service = await runProvider(t, { openid: { acr: { pwd: 'urn:example:pwd' } } });
  const before = Math.floor(Date.now() / 1000);
  const answer = await loggedIn(service, { nonce: 'n-1' });
  const claims = await verified(service, answer.id_token);
  const hash = createHash('sha256').update(answer.access_token).digest().subarray(0, 16).toString('base64url');
  t.match(claims, {
    sub: 'alice',
    aud: rp.id,
    azp: rp.id,
    nonce: 'n-1',
    acr: 'urn:example:pwd',
    amr: ['pwd'],
    at_hash: hash,
    sid: /^[A-Za-z0-9_-]{22}$/,
  });
  t.equal(Number(claims.exp) - Number(claims.iat), 600);
  t.ok(Number(claims.auth_time) >= before && Number(claims.auth_time) <= Number(claims.iat));
  t.equal(claims.email, undefined, 'claims of scopes are at userinfo');
});

for (const [alg, hash] of [
  ['ES256', 'sha256'],
  ['EdDSA', 'sha512'],
] as const)
  t.test(`a client may choose ${alg} for its ID tokens`, async (t) => {
    const service = await runProvider(t, { client: { id_token_signed_response_alg: alg } });
    const answer = await loggedIn(service);
    const half = createHash(hash).update(answer.access_token).digest();
    t.equal(
      (await verified(service, answer.id_token, { alg })).at_hash,
      half.subarray(0, half.length / 2).toString('base64url'),
    );
  });

t.test('without the scope openid there is no ID token, and userinfo is refused', async (t) => {
  const service = await runProvider(t);
  const answer = await loggedIn(service, { scope: 'orders.read' });
  t.equal(answer.id_token, undefined);
  const response = await userinfo(service, answer.access_token);
  t.equal(response.status, 403);
  t.match(response.headers.get('www-authenticate'), /^Bearer .*error="insufficient_scope"/);
});

t.test('a refresh gives a new ID token of the same login, without the nonce', async (t) => {
  const service = await runProvider(t);
  const first = await loggedIn(service, { nonce: 'n-1' });
  const before = await verified(service, first.id_token);
  const next = (await refreshed(service, first.refresh_token, {}, rp)) as typeof first;
  const after = await verified(service, next.id_token);
  t.equal(after.nonce, undefined);
  for (const claim of ['sub', 'aud', 'azp', 'auth_time', 'sid']) t.strictSame(after[claim], before[claim], claim);
  t.not(after.at_hash, before.at_hash);
  const narrowed = await refreshed(service, next.refresh_token, { scope: 'openid' }, rp);
  t.ok((narrowed as typeof first).id_token);
});

t.test('a refresh without openid in its scope gives no ID token', async (t) => {
  const service = await runProvider(t);
  const first = await loggedIn(service, { scope: 'openid orders.read' });
  const next = (await refreshed(service, first.refresh_token, { scope: 'orders.read' }, rp)) as typeof first;
  t.equal(next.id_token, undefined);
});

t.test('userinfo answers the claims of the granted scopes: GET, POST with a header, POST with a form', async (t) => {
  const service = await runProvider(t);
  const { access_token, scope } = await loggedIn(service, { scope: 'openid profile email address phone' });
  t.equal(scope, 'openid profile email address phone');
  const expected = {
    sub: 'alice',
    name: 'Alice Ng',
    preferred_username: 'alice',
    email: 'alice@example.com',
    email_verified: true,
    phone_number: '+49 30 1234',
    address: { locality: 'Berlin' },
  };
  const form = new URLSearchParams({ access_token });
  for (const response of [
    await userinfo(service, access_token),
    await userinfo(service, access_token, { method: 'POST' }),
    await userinfo(service, access_token, { method: 'POST', headers: {}, body: form }),
  ]) {
    t.equal(response.status, 200);
    t.match(response.headers.get('content-type'), /^application\/json/);
    t.strictSame(await response.json(), expected);
  }
  const twice = await userinfo(service, access_token, { method: 'POST', body: form });
  t.equal(twice.status, 400, 'in two places');
});

t.test('userinfo refuses a wrong token with 401 and a challenge', async (t) => {
  const service = await runProvider(t, { client: { grant_types: ['authorization_code', 'client_credentials'] } });
  for (const [init, challenge] of [
    [{ headers: { authorization: 'Bearer wrong' } }, /error="invalid_token"/],
    [{ headers: {} }, /^Bearer realm="[^"]*"$/],
  ] as const) {
    const response = await userinfo(service, '', init);
    t.equal(response.status, 401);
    t.match(response.headers.get('www-authenticate'), challenge);
  }
  const own = await service.token();
  t.equal((await userinfo(service, own)).status, 403, 'a token without the scope');
  const ofClient = await service.token({ scope: 'openid' }, rp);
  t.equal((await userinfo(service, ofClient)).status, 401, 'a token that a client got for itself');
  const { access_token } = await loggedIn(service);
  await service.post('/oauth2/revoke', { token: access_token }, basic(rp));
  t.equal((await userinfo(service, access_token)).status, 401, 'a revoked token');
});

for (const alg of ['RS256', 'ES256', 'EdDSA'] as const)
  t.test(`userinfo is a JWT with ${alg} for the client that registered it, and JSON for the others`, async (t) => {
    const service = await runProvider(t, { client: { userinfo_signed_response_alg: alg } });
    const { access_token } = await loggedIn(service, { scope: 'openid email' });
    const response = await userinfo(service, access_token);
    t.equal(response.headers.get('content-type'), 'application/jwt');
    const claims = await verified(service, await response.text(), { alg });
    t.match(claims, { sub: 'alice', email: 'alice@example.com', aud: rp.id });
    const path = openidPath({ client_id: rp2.id, redirect_uri: callback2 });
    const other = await redeemed(service, await walk(openTab(service), path), rp2, callback2);
    t.strictSame(await (await userinfo(service, other.access_token)).json(), { sub: 'alice' });
  });

t.test(
  'with `userinfo_signed`, clients without their own choice get a JWT with the algorithm of their ID tokens',
  async (t) => {
    const service = await runProvider(t, {
      openid: { userinfo_signed: true },
      client: { id_token_signed_response_alg: 'ES256' },
    });
    const { access_token } = await loggedIn(service);
    const answer = await userinfo(service, access_token);
    t.match(await verified(service, await answer.text(), { alg: 'ES256' }), { sub: 'alice' });
  },
);

t.test('the metadata names the algorithms of signed userinfo (OpenID Connect Discovery §3)', async (t) => {
  const service = await runProvider(t);
  const response = await fetch(`${service.url}/.well-known/openid-configuration`);
  t.match(await response.json(), { userinfo_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'] });
});

t.test('the claims parameter puts single claims into the ID token and userinfo, if the user allows it', async (t) => {
  const service = await runProvider(t);
  const claims = JSON.stringify({
    id_token: { email: null, auth_time: { essential: true } },
    userinfo: { phone_number: { essential: true } },
  });
  const answer = await loggedIn(service, { claims });
  t.equal((await verified(service, answer.id_token)).email, 'alice@example.com');
  t.strictSame(await (await userinfo(service, answer.access_token)).json(), {
    sub: 'alice',
    phone_number: '+49 30 1234',
  });
  t.equal(answer.scope, 'openid', 'the token has no more scope');

  const tab = openTab(service);
  const consent = await tab.get(
    (await logIn(tab, await tab.get(openidPath({ claims, prompt: 'consent' })))).location?.href ?? '',
  );
  t.match(consent.body, 'May use email');
  const partly = await redeemed(service, await decide(tab, consent, ['phone']));
  t.equal((await verified(service, partly.id_token)).email, undefined, 'the user left email out');
});

for (const claims of ['{', '[]', '{"userinfo":[]}', '{"id_token":{"email":1}}', '{"id_token":{"sub":{"value":1}}}'])
  t.test(`a malformed claims parameter is invalid_request: ${claims}`, async (t) => {
    const service = await runProvider(t);
    const answer = await openTab(service).get(openidPath({ claims }));
    t.match(answered(answer), { error: 'invalid_request', state: 'xyz' });
  });

t.test('a claim of an unregistered scope is not released', async (t) => {
  const service = await runProvider(t, { client: { scope: 'openid' } });
  const claims = JSON.stringify({ id_token: { email: { essential: true } } });
  const answer = await loggedIn(service, { claims });
  t.equal((await verified(service, answer.id_token)).email, undefined);
});

t.test('own claims come from the user, with the scope of their name or with profile', async (t) => {
  const claims = { groups: { of: 'user', name: 'groups' }, org: { of: 'user', name: 'tenant' } } as const;
  const groups = { scopes: { groups: 'See your groups' } };
  const service = await runProvider(t, {
    openid: { claims },
    client: { scope: 'openid profile groups' },
    config: groups,
  });
  const { access_token } = await loggedIn(service, { scope: 'openid groups' });
  t.strictSame(await (await userinfo(service, access_token)).json(), { sub: 'alice', groups: ['staff'] });
  const profile = await loggedIn(service, { scope: 'openid profile' });
  t.match(await (await userinfo(service, profile.access_token)).json(), { org: 'acme' });
});

t.test('an essential acr that the service does not have is refused', async (t) => {
  const service = await runProvider(t, { openid: { acr: { pwd: 'urn:one' } } });
  const asking = (values: readonly string[]) => JSON.stringify({ id_token: { acr: { essential: true, values } } });
  const refused = await openTab(service).get(openidPath({ claims: asking(['urn:two']) }));
  t.equal(answered(refused).error, 'unmet_authentication_requirements');
  const answer = await loggedIn(service, { claims: asking(['urn:two', 'urn:one']) });
  t.equal((await verified(service, answer.id_token)).acr, 'urn:one');
  t.ok((await loggedIn(service, { acr_values: 'urn:two' })).id_token, 'acr_values is voluntary');
});

t.test('only the user of id_token_hint gets an answer', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const again = answered(await tab.get(openidPath({ prompt: 'none', id_token_hint: id_token })));
  t.ok(again.code, 'the same user');
  const bob = openTab(service);
  const login = await logIn(bob, await bob.get('/oauth2/account'), 'bob', 'builder');
  t.equal(login.status, 303);
  const other = answered(await bob.get(openidPath({ prompt: 'none', id_token_hint: id_token })));
  t.equal(other.error, 'login_required');
  t.match((await bob.get(openidPath({ id_token_hint: id_token }))).body, 'name="password"', 'bob sees the login page');
  for (const hint of ['x', `${id_token.slice(0, -4)}AAAA`, (await loggedIn(service)).access_token])
    t.equal(answered(await tab.get(openidPath({ id_token_hint: hint }))).error, 'invalid_request');
  const named = JSON.stringify({ id_token: { sub: { value: 'bob' } } });
  t.equal(answered(await tab.get(openidPath({ prompt: 'none', claims: named }))).error, 'login_required');
});

t.test('a user whom the client did not ask for learns why the login page comes again, and nothing else', async (t) => {
  const service = await runProvider(t);
  const { id_token } = await loggedIn(service);
  const tab = openTab(service);
  const first = await tab.get(openidPath({ id_token_hint: id_token }));
  t.notMatch(first.body, 'different user', 'nobody is signed in');
  const answer = await logIn(tab, first, 'bob', 'builder');
  const again = await tab.get(answer.location?.href ?? '');
  t.match(again.body, /You are signed in as <strong>.*bob.*but the application asks for a different user/);
  t.notMatch(again.body, /\balice\b/i);
  const refused = await logIn(tab, again, 'alice', 'wrong');
  t.match(refused.body, 'The username or password is wrong.');
  const right = await logIn(tab, again);
  t.ok(answered(await tab.get(right.location?.href ?? '')).code);
});

for (const [title, changes] of [
  ['a new login', { prompt: 'login' }],
  ['a fresh login', { max_age: '0' }],
] as const)
  t.test(`a request for ${title} gives no reason, because it asks each user`, async (t) => {
    const service = await runProvider(t);
    const { id_token } = await loggedIn(service);
    const bob = await signedIn(service, 'bob', 'builder');
    t.notMatch((await bob.get(openidPath({ ...changes, id_token_hint: id_token }))).body, 'different user');
  });

t.test('an ID token of another client is no hint', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const { id_token } = await loggedIn(service, {}, tab);
  const path = openidPath({ client_id: rp2.id, redirect_uri: callback2, id_token_hint: id_token });
  t.equal(answered(await tab.get(path)).error, 'invalid_request');
});

t.test('a request for openid alone shows no consent page, and every other request does', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const login = await logIn(tab, await tab.get(openidPath()));
  t.ok(answered(await tab.get(login.location?.href ?? '')).code);
  t.match((await tab.get(openidPath({ scope: 'openid email' }))).body, 'name="decision"');
  t.match((await tab.get(openidPath({ prompt: 'consent' }))).body, 'name="decision"');
  t.equal(answered(await tab.get(openidPath({ scope: 'openid email', prompt: 'none' }))).error, 'consent_required');
});

t.test('max_age and default_max_age ask for a new login, and auth_time says when it was', async (t) => {
  const service = await runProvider(t, { client: { default_max_age: 3_600_000 } });
  const tab = openTab(service);
  const first = await verified(service, (await loggedIn(service, {}, tab)).id_token);
  const same = await verified(service, (await loggedIn(service, {}, tab)).id_token);
  t.equal(same.auth_time, first.auth_time);
  t.match((await tab.get(openidPath({ max_age: '0' }))).body, 'name="password"');
  t.equal(answered(await tab.get(openidPath({ max_age: '0', prompt: 'none' }))).error, 'login_required');
});

t.test('a new login of the same user keeps the sid, and another user gets another', async (t) => {
  const service = await runProvider(t);
  const tab = openTab(service);
  const first = await verified(service, (await loggedIn(service, {}, tab)).id_token);
  const again = await verified(service, (await loggedIn(service, { prompt: 'login' }, tab)).id_token);
  t.equal(again.sid, first.sid);
  const path = openidPath({ prompt: 'login' });
  const login = await logIn(tab, await tab.get(path), 'bob', 'builder');
  const bob = await verified(service, (await redeemed(service, await tab.get(login.location?.href ?? ''))).id_token);
  t.equal(bob.sub, 'bob');
  t.not(bob.sid, first.sid);
});

t.test('two clients see different sids, and with pairwise different subjects', async (t) => {
  const service = await runProvider(t, { openid: { subject: 'pairwise' } });
  const tab = openTab(service);
  const answer = await loggedIn(service, {}, tab);
  const one = await verified(service, answer.id_token);
  const page = await walk(tab, openidPath({ client_id: rp2.id, redirect_uri: callback2 }));
  const two = await verified(service, (await redeemed(service, page, rp2, callback2)).id_token, { audience: rp2.id });
  t.not(one.sid, two.sid);
  t.not(one.sub, two.sub);
  t.not(one.sub, 'alice');
  t.match(await (await userinfo(service, answer.access_token)).json(), { sub: one.sub });
  t.equal(
    (await verified(service, (await loggedIn(service)).id_token)).sub,
    one.sub,
    'the next login has the same sub',
  );
  const hinted = answered(await tab.get(openidPath({ prompt: 'none', id_token_hint: answer.id_token })));
  t.ok(hinted.code);
});

t.test('pairwise subjects belong to a host without its port, and an app on loopback is its own sector', async (t) => {
  const { service } = await runProvider(t, { openid: { subject: 'pairwise' } });
  const seen = (id: string, redirectUri: string, sectorIdentifierUri?: string) =>
    subjectFor(
      service,
      { id, source: 'file', subjectType: undefined, sectorIdentifierUri, redirectUris: [redirectUri] },
      'alice',
    );
  const host = seen('a', 'https://app.example/cb');
  t.equal(seen('b', 'https://app.example:8443/cb'), host);
  t.equal(seen('c', 'http://127.0.0.1/cb', 'https://app.example/uris.json'), host);
  t.not(seen('d', 'https://other.example/cb'), host);
  for (const uri of ['http://127.0.0.1/cb', 'http://[::1]/cb', 'com.example.app:/cb'])
    t.not(seen('e', uri), seen('f', uri), uri);
});

t.test('an answer by form_post is a page that posts it, and only its own script runs', async (t) => {
  const service = await runProvider(t);
  const page = await walk(openTab(service), openidPath({ response_mode: 'form_post' }));
  t.equal(page.status, 200);
  t.match(page.body, `<form method="post" action="${callback}">`);
  t.equal(page.field('state'), 'xyz');
  t.equal(page.field('iss'), service.issuer);
  const policy = page.headers.get('content-security-policy') ?? '';
  const script = /<script>(.*)<\/script>/.exec(page.body)?.[1] ?? '';
  t.match(policy, `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const form = { location: new URL(`https://x/?code=${page.field('code')}`) } as typeof page;
  t.ok((await redeemed(service, form)).id_token);
  const refused = await openTab(service).get(openidPath({ response_mode: 'form_post', prompt: 'none' }));
  t.equal(refused.field('error'), 'login_required');
});

t.test('the discovery document says what the provider does, and RFC 8414’s stays without it', async (t) => {
  const service = await runProvider(t);
  const read = async (path: string) => (await (await fetch(service.url + path)).json()) as Record<string, unknown>;
  const provider = await read('/.well-known/openid-configuration');
  t.match(provider, {
    issuer: service.issuer,
    userinfo_endpoint: `${service.issuer}/oauth2/userinfo`,
    end_session_endpoint: `${service.issuer}/oauth2/logout`,
    subject_types_supported: ['public', 'pairwise'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
    backchannel_logout_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: false,
  });
  t.ok((provider.scopes_supported as string[]).includes('openid'));
  const plain = await read('/.well-known/oauth-authorization-server');
  t.equal(plain.userinfo_endpoint, undefined);
  t.equal(plain.issuer, service.issuer);
});

t.test('without openid.enabled there is no userinfo, no ID token and no provider document', async (t) => {
  const service = await runProvider(t, { openid: { enabled: false } });
  t.equal((await userinfo(service, 'x')).status, 404);
  t.equal((await loggedIn(service)).id_token, undefined);
  const document = await (await fetch(`${service.url}/.well-known/openid-configuration`)).json();
  t.equal((document as Record<string, unknown>).userinfo_endpoint, undefined);
  const { keys } = (await (await fetch(`${service.url}/oauth2/jwks`)).json()) as { keys: unknown[] };
  t.equal(keys.length, 1);
});

t.test('without openid.enabled, openid is a scope like any other, which the user can refuse', async (t) => {
  const service = await runProvider(t, { openid: { enabled: false } });
  const tab = openTab(service);
  const login = await logIn(tab, await tab.get(openidPath()));
  const page = await tab.get(login.location?.href ?? '');
  t.match(page.body, 'name="scope" value="openid"');
  t.equal(answered(await decide(tab, page, [])).error, 'access_denied');
});

for (const [name, error] of [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
] as const)
  t.test(`the parameter ${name} is ${error}`, async (t) => {
    const service = await runProvider(t);
    t.equal(answered(await openTab(service).get(openidPath({ [name]: 'x' }))).error, error);
  });

t.test('without a consent page, the access token is for no API', async (t) => {
  const service = await runProvider(t, {
    client: { grant_types: ['authorization_code', 'refresh_token', 'implicit'] },
  });
  const tab = await signedIn(service);
  const answer = await redeemed(service, await tab.get(openidPath({ prompt: 'none' })));
  t.equal((await service.introspect(answer.access_token)).aud, service.issuer);
  t.equal((await userinfo(service, answer.access_token)).status, 200);
  const implicit = { response_type: 'token', code_challenge: undefined, code_challenge_method: undefined };
  const { access_token = '' } = answered(await tab.get(openidPath({ prompt: 'none', ...implicit })));
  t.equal((await service.introspect(access_token)).aud, service.issuer);
});

t.test('a request for `openid` that names an API asks the user', async (t) => {
  const service = await runProvider(t);
  const tab = await signedIn(service);
  const resource = 'https://api.example.com';
  t.equal(answered(await tab.get(openidPath({ prompt: 'none', resource }))).error, 'consent_required');
  const { access_token } = await redeemed(service, await walk(tab, openidPath({ resource })));
  t.equal((await service.introspect(access_token)).aud, resource);
});

t.test('a user who refuses the scope of a single claim ends the grants that have the claim', async (t) => {
  const service = await runProvider(t);
  const tab = await signedIn(service);
  const claims = JSON.stringify({ userinfo: { email: null } });
  const { access_token } = await redeemed(service, await walk(tab, openidPath({ claims })));
  t.match(await (await userinfo(service, access_token)).json(), { email: 'alice@example.com' });
  const unused = answered(await tab.get(openidPath({ claims })));
  await decide(tab, await tab.get(openidPath({ scope: 'openid email', prompt: 'consent' })), []);
  t.equal((await userinfo(service, access_token)).status, 401);
  const form = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier };
  const late = await service.post('/oauth2/token', { ...form, code: unused.code ?? '' }, basic(rp));
  t.match(await late.json(), { error: 'invalid_grant' });
});

t.test('a client that lost a scope gets the single claims of it no longer', async (t) => {
  const directory = temporaryFolder(t);
  const before = await runProvider(t, { deps: { directory } });
  const claims = JSON.stringify({ id_token: { email: null }, userinfo: { email: null } });
  const { access_token, refresh_token } = await redeemed(before, await walk(openTab(before), openidPath({ claims })));
  await before.stop();
  const after = await runProvider(t, { deps: { directory }, client: { scope: 'openid' } });
  t.strictSame(await (await userinfo(after, access_token)).json(), { sub: 'alice' });
  const { id_token } = (await refreshed(after, String(refresh_token), {}, rp)) as OpenidAnswer;
  t.equal((await verified(after, id_token)).email, undefined);
});

t.test('without OpenID Connect, a scope `openid` has a checkbox as any other', async (t) => {
  const service = await runProvider(t, { openid: { enabled: false } });
  const tab = await signedIn(service);
  const page = await tab.get(openidPath({ scope: 'openid orders.read' }));
  t.match(page.body, 'value="openid"');
  const form = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier };
  const { code = '' } = answered(await decide(tab, page, ['orders.read']));
  t.match(await (await service.post('/oauth2/token', { ...form, code }, basic(rp))).json(), { scope: 'orders.read' });
});
