import { createHash } from 'node:crypto';
import t from 'tap';
import { openStore } from '../../../../src/authorization/open-service.ts';
import { makeOpaqueToken, tokenPrefixes } from '../../../../src/authorization/tokens/opaque-token.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { redeem } from '../../grant-flow.ts';
import { configuration } from '../../running-service.ts';
import { answered, authorizePath, callback, clientsWith, decide, logIn, openTab, runFront, signedIn } from '../walk.ts';

/** The source expression of a policy, for the text between the tags. */
const hashOf = (script: string) =>
  createHash('sha256')
    .update(script.replace(/^<script>|<\/script>$/g, ''))
    .digest('base64');

const secret = 'cs_a-secret-of-32-bytes-or-more-in-all';
const base = { client_secret: secret, scope: 'orders.read orders.write', grant_types: ['authorization_code' as const] };
const clients = clientsWith(
  { ...base, client_id: 'two', redirect_uris: [callback, `${callback}/two?a=1`] },
  { ...base, client_id: 'no-pkce', redirect_uris: [callback], require_pkce: false },
  { ...base, client_id: 'v6', redirect_uris: ['http://[::1]/cb', 'http://localhost/cb', 'com.example.app:/cb'] },
  { ...base, client_id: 'legacy', redirect_uris: [callback], grant_types: ['implicit', 'refresh_token'] },
  { ...base, client_id: 'back', redirect_uris: [callback], grant_types: ['client_credentials'] },
);

t.test('the parameters of the authorization request are checked in a fixed order', async (t) => {
  const service = await runFront(t, { config: { clients } });
  const tab = openTab(service);
  const ask = (changes: Record<string, string | undefined>) => tab.get(authorizePath(changes));

  t.test('T1: a redirect address that differs by a byte gets a 400 page without a redirect', async (t) => {
    const near = [
      `${callback}/`,
      `${callback}?x=1`,
      `${callback}#x`,
      callback.replace('shop.', 'Shop.'),
      callback.replace('https', 'HTTPS'),
      callback.replace('https', 'http'),
      callback.replace('.com/', '.com:443/'),
      callback.replace('callback', '%63allback'),
      callback.replace('/callback', '//callback'),
      callback.replace('/callback', '/x/../callback'),
      callback.slice(0, -1),
      ` ${callback}`,
      `${callback}\n`,
      `${callback},${callback}`,
    ];
    for (const redirect_uri of near) {
      const page = await ask({ redirect_uri });
      t.equal(page.status, 400, redirect_uri);
      t.equal(page.location, undefined, redirect_uri);
      t.match(page.body, /redirect_refused/);
    }
    const page = await ask({ client_id: 'two', redirect_uri: undefined });
    t.strictSame([page.status, page.location], [400, undefined], 'two are registered and none is named');
    t.equal((await ask({ redirect_uri: undefined })).status, 200, 'where there is one it need not be named');
  });

  t.test(
    'T2: only the port of a loopback address may differ; localhost is a name, and its port may not differ',
    async (t) => {
      const fits = async (client_id: string, redirect_uri: string) =>
        (await ask({ client_id, redirect_uri })).status === 200;
      for (const uri of ['http://127.0.0.1/callback', 'http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback'])
        t.ok(await fits('app', uri), uri);
      t.ok(await fits('v6', 'http://[::1]:5000/cb'));
      t.ok(await fits('v6', 'http://localhost/cb'));
      t.ok(await fits('v6', 'com.example.app:/cb'));
      for (const uri of [
        'http://127.0.0.1:5000/other',
        'http://127.0.0.1:5000/callback?x',
        'http://127.0.0.1:99999/callback',
        'http://127.0.0.1:/callback',
        'http://127.0.0.1:5000@evil.example/callback',
        'http://127.0.0.1.evil.example/callback',
        'http://127.0.0.2:5000/callback',
        'http://[::1]:5000/callback',
        'https://127.0.0.1:5000/callback',
        'http://localhost:5000/callback',
      ])
        t.notOk(await fits('app', uri), uri);
      t.notOk(await fits('v6', 'http://localhost:5000/cb'));
      t.notOk(await fits('v6', 'com.example.app:5000/cb'));
    },
  );

  t.test('T3: an unknown or missing client gets a 400 page without a redirect', async (t) => {
    for (const client_id of ['nobody', undefined, '__proto__', 'WEB', 'web ']) {
      const page = await ask({ client_id });
      t.strictSame([page.status, page.location], [400, undefined], client_id ?? 'none');
    }
  });

  const refused: [title: string, changes: Record<string, string | undefined>, error: string][] = [
    ['T4: no code_challenge by a public client', { ...app(), code_challenge: undefined }, 'invalid_request'],
    ['T4: no code_challenge by another', { code_challenge: undefined }, 'invalid_request'],
    ['T5: plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['T5: no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['s256 in small letters', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a challenge of 42 characters', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['a challenge of 129 characters', { code_challenge: 'a'.repeat(129) }, 'invalid_request'],
    ['a challenge with a padding', { code_challenge: `${'a'.repeat(43)}=` }, 'invalid_request'],
    ['a method without a challenge', { client_id: 'no-pkce', code_challenge: undefined }, 'invalid_request'],
    ['T16: implicit, which is off', { response_type: 'token' }, 'unauthorized_client'],
    ['a code for a client of another grant', { client_id: 'back' }, 'unauthorized_client'],
    ['an unknown response type', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a scope beyond the registered', { scope: 'orders.read admin' }, 'invalid_scope'],
    ['a scope that is none', { scope: 'orders.read  x' }, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://evil.example' }, 'invalid_target'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['one by reference', { request_uri: 'https://evil.example/o' }, 'request_uri_not_supported'],
    ['an unknown response mode', { response_mode: 'web_message' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'please' }, 'invalid_request'],
    ['prompt=none and more', { prompt: 'none login' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ['prompt=none without a login', { prompt: 'none' }, 'login_required'],
  ];
  for (const [title, changes, error] of refused)
    t.test(`${title}: the client gets ${error}`, async (t) => {
      const page = await ask(changes);
      t.equal(page.status, 303);
      t.match(answered(page), { error, state: 'xyz', iss: service.issuer, error_description: /./ });
      t.ok(page.location?.href.startsWith(changes.redirect_uri ?? callback));
      t.equal(page.headers.get('referrer-policy'), 'no-referrer');
      t.equal(page.headers.get('cache-control'), 'no-store');
    });

  t.test('answers of the implicit grant, errors too, are in the fragment, never in the query', async (t) => {
    const page = await ask({ client_id: 'legacy', response_type: 'token', scope: 'admin' });
    t.match(page.location?.hash, /^#error=invalid_scope&.*state=xyz/);
    t.equal(page.location?.search, '');
    const query = await ask({ client_id: 'legacy', response_type: 'token', response_mode: 'query' });
    t.match(query.location?.hash, /^#error=invalid_request/);
  });

  t.test('an error is posted too, even without a response type or if only a request object asks for it', async (t) => {
    const object = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
    const named = await ask({ response_type: undefined, response_mode: 'form_post' });
    t.match(named.body, `<form method="post" action="${callback}">`);
    t.equal(named.field('error'), 'invalid_request');
    const request = object({ response_mode: 'form_post', state: 'in the object' });
    const posted = await ask({ request, state: undefined });
    t.equal(posted.field('error'), 'request_not_supported');
    t.equal(posted.field('state'), 'in the object');
    t.equal((await ask({ request })).field('state'), 'xyz', 'a parameter of the query counts first');
    const odd = await ask({ request: object({ response_mode: 7, state: {} }), state: undefined });
    t.match(answered(odd), { error: 'request_not_supported', state: undefined });
  });

  t.test(
    'T45: a repeated parameter is invalid_request, which the client gets if it is certain who the client is',
    async (t) => {
      const twice = async (more: string) => tab.get(authorizePath() + more);
      for (const more of ['&scope=a', '&state=xyz', '&prompt=none&prompt=none', '&code_challenge=a', '&x=1&x=2']) {
        const page = await twice(more);
        t.match([page.status, answered(page)], [303, { error: 'invalid_request', iss: service.issuer }], more);
      }
      t.notOk('state' in answered(await twice('&state=other')), 'nobody knows which state is meant');
      for (const more of ['&client_id=web', '&client_id=app', '&app_id=app', `&redirect_uri=${callback}`]) {
        const page = await twice(more);
        t.strictSame([page.status, page.location], [400, undefined], more);
      }
      t.equal((await twice('&app_id=web')).status, 200, 'the same said in both vocabularies');
      t.equal((await twice('&resource=https://api.example.com&resource=https://other.example.com')).status, 200);
    },
  );

  t.test('T18: state comes back byte by byte, whatever it contains', async (t) => {
    const states = [
      'a b+c%20d',
      'é✓😀',
      '<script>"\'',
      '&error=x#y',
      '\r\nLocation: x',
      '%00',
      '\u0000',
      'x'.repeat(2000),
    ];
    for (const state of states) {
      const page = await ask({ state, scope: 'admin' });
      t.equal(answered(page).state, state);
      t.equal(page.location?.searchParams.getAll('error').length, 1);
      t.ok(page.headers.get('location')?.includes(`state=${encodeURIComponent(state)}`), 'a space is %20');
    }
    t.notOk('state' in answered(await ask({ state: undefined, scope: 'admin' })));
    t.notOk('state' in answered(await ask({ state: '', scope: 'admin' })), 'an empty one is an absent one');
  });

  t.test('the query of the registered address is kept', async (t) => {
    const page = await ask({ client_id: 'two', redirect_uri: `${callback}/two?a=1`, scope: 'admin' });
    t.match(page.headers.get('location'), /^https:\/\/shop\.example\.com\/callback\/two\?a=1&error=invalid_scope&/);
  });

  t.test('a malformed or too long request gets a page, and no redirect', async (t) => {
    for (const target of [
      `${authorizePath()}&x=%ff`,
      `${authorizePath()}&x=%zz`,
      authorizePath({ state: 'x'.repeat(9000) }),
    ]) {
      const page = await tab.get(target);
      t.strictSame([page.status, page.location], [400, undefined]);
      t.match(page.body, /bad_request|invalid_request/);
    }
  });

  t.test('a request may use either vocabulary', async (t) => {
    t.equal((await ask({ client_id: undefined, app_id: 'web' })).status, 200);
    t.equal((await ask({ client_id: undefined, appid: 'web' })).status, 200);
  });

  t.test('a POST works like a GET, and continues as a GET so that the browser sends its cookies', async (t) => {
    const form = Object.fromEntries(new URL(authorizePath(), service.url).searchParams);
    const page = await tab.post('/oauth2/authorize', form, {
      origin: 'https://shop.example.com',
      'sec-fetch-site': 'cross-site',
    });
    t.equal(page.status, 303);
    t.equal(`${page.location?.pathname}${page.location?.search}`, authorizePath());
    t.match(answered(await tab.post('/oauth2/authorize', { ...form, scope: 'admin' })), { error: 'invalid_scope' });
    t.equal((await tab.post('/oauth2/authorize', { ...form, redirect_uri: 'https://evil.example' })).status, 400);
    t.equal((await tab.post('/oauth2/authorize', form, { 'content-type': 'application/json' })).status, 400);
  });

  t.test('T38: no origin may read any answer, and a preflight is refused', async (t) => {
    const origin = { origin: 'https://shop.example.com' };
    for (const path of [authorizePath(), '/oauth2/login', '/oauth2/account', '/oauth2/sign-out', '/oauth2/consent']) {
      const { headers } = await tab.get(path, origin);
      t.strictSame(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
        path,
      );
      const preflight = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: { ...origin, 'access-control-request-method': 'POST' },
      });
      t.equal(preflight.status, 405, path);
      t.equal(preflight.headers.get('access-control-allow-origin'), null);
      t.match(preflight.headers.get('allow'), /^GET/);
    }
  });

  t.test('HEAD must change nothing, so it requests no code', async (t) => {
    const { status, headers } = await fetch(service.url + authorizePath(), { method: 'HEAD' });
    t.strictSame([status, headers.get('allow')], [405, 'GET, POST']);
  });

  t.test(
    'every page forbids frames, caching, referrers and scripts, except for the script of the login page',
    async (t) => {
      const consent = await (await signedIn(service)).get(authorizePath());
      const login = await ask({});
      const [script = ''] = /<script>.*<\/script>/s.exec(login.body) ?? [];
      for (const page of [login, await ask({ client_id: 'nobody' }), consent, await tab.get('/oauth2/sign-out')]) {
        const policy = page.headers.get('content-security-policy') ?? '';
        t.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
        t.notMatch(policy, /unsafe/);
        t.equal(/; script-src (.*)$/.exec(policy)?.[1], page === login ? `'sha256-${hashOf(script)}'` : undefined);
        t.match(Object.fromEntries(page.headers), {
          'cache-control': 'no-store',
          'content-type': 'text/html; charset=utf-8',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
        });
        t.notMatch(page.body.replace(script, ''), /<script/i);
      }
      t.match(consent.headers.get('content-security-policy'), /form-action 'self' https:/);
    },
  );

  t.test("an error page shows the id of the request's log line", async (t) => {
    const page = await ask({ client_id: 'nobody' });
    const id = page.headers.get('x-request-id') ?? 'none';
    t.ok(page.body.includes(id));
    t.ok(service.logged().includes(id));
  });

  t.end();
});

function app() {
  return { client_id: 'app', redirect_uri: 'http://127.0.0.1:4711/callback' };
}

t.test('T17: every answer has iss, and the code works for one exchange', async (t) => {
  const service = await runFront(t, { config: { clients } });
  const tab = openTab(service);
  const login = await tab.get(authorizePath());
  const back = await logIn(tab, login);
  t.equal(back.status, 303);
  t.equal(`${back.location?.pathname}${back.location?.search}`, authorizePath(), 'the same request again');
  const granted = await decide(tab, await tab.get(authorizePath()), ['orders.read', 'orders.write']);
  t.equal(granted.status, 303);
  const { code = '', state, iss } = answered(granted);
  t.strictSame([state, iss], ['xyz', service.issuer]);
  t.match(code, /^ac_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  const exchange = async (code: string) => (await redeem(service, code)).json();
  t.match(await exchange(code), { token_type: 'Bearer', scope: 'orders.read orders.write' });
  t.match(await exchange(code), { error: 'invalid_grant' });
  t.match(await exchange(makeOpaqueToken(tokenPrefixes.code)), { error: 'invalid_grant' });
});

t.test('prompt and max_age', async (t) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  const service = await runFront(t, { clock });
  const tab = await signedIn(service);
  const ask = (changes: Record<string, string | undefined>) => tab.get(authorizePath(changes));
  t.match(answered(await ask({ prompt: 'none' })), { error: 'consent_required', state: 'xyz' });
  await decide(tab, await ask({}), ['orders.read', 'orders.write']);
  t.match(answered(await ask({ prompt: 'none' })), { code: /^ac_/ }, 'what was granted is given without a page');
  t.match(answered(await ask({})), { code: /^ac_/ });
  t.match((await ask({ prompt: 'consent' })).body, /name="decision"/);

  for (const changes of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
    const page = await ask(changes);
    t.match(page.body, /name="password"/);
    const back = await logIn(tab, page);
    t.match(answered(await tab.get(back.location?.href ?? '')), { code: /^ac_/ }, 'one login is enough');
  }
  const both = await logIn(tab, await ask({ prompt: 'login consent' }));
  t.match((await tab.get(both.location?.href ?? '')).body, /name="decision"/, 'the other prompt remains');

  ahead = 100_000;
  t.match((await ask({ max_age: '60' })).body, /name="password"/);
  t.match(answered(await ask({ max_age: '60', prompt: 'none' })), { error: 'login_required' });
  t.match(answered(await ask({ max_age: '600' })), { code: /^ac_/ });
  ahead = 13 * 3_600_000;
  t.match((await ask({})).body, /name="password"/, 'a session has its end');
});

t.test('T15: implicit, if the client lists it, is answered in the fragment without a refresh token', async (t) => {
  const service = await runFront(t, { config: { clients } });
  const tab = await signedIn(service);
  const path = authorizePath({ client_id: 'legacy', response_type: 'token', code_challenge: undefined });
  const consent = await tab.get(path.replace('&code_challenge_method=S256', ''));
  const granted = await decide(tab, consent, ['orders.read']);
  t.equal(granted.location?.search, '');
  const answer = answered(granted);
  t.match(answer, {
    token_type: 'Bearer',
    expires_in: /^\d+$/,
    scope: 'orders.read',
    state: 'xyz',
    iss: service.issuer,
  });
  t.notOk('refresh_token' in answer);
  t.match(await service.introspect(answer.access_token ?? ''), { active: true, sub: 'alice', scope: 'orders.read' });
  t.notOk('access_token' in answered(await decide(tab, consent, ['orders.read'])), 'the page counts once');
  t.match((await tab.get('/oauth2/account')).body, /legacy/, 'it is among the connected apps');
});

t.test('consent to one response type is not consent to another: each needs its own page', async (t) => {
  const both = { ...base, grant_types: ['authorization_code' as const, 'implicit' as const] };
  const service = await runFront(t, {
    config: { clients: clientsWith({ ...both, client_id: 'both', redirect_uris: [callback] }) },
  });
  const requests = {
    code: authorizePath({ client_id: 'both' }),
    token: authorizePath({ client_id: 'both', response_type: 'token', code_challenge: undefined }).replace(
      '&code_challenge_method=S256',
      '',
    ),
  };
  for (const [first, second] of [
    ['code', 'token'],
    ['token', 'code'],
  ] as const) {
    const tab = await signedIn(service, ...(first === 'code' ? [] : (['bob', 'builder'] as const)));
    await decide(tab, await tab.get(requests[first]), ['orders.read', 'orders.write']);
    const silent = async (type: 'code' | 'token') => answered(await tab.get(`${requests[type]}&prompt=none`));
    t.notMatch(await silent(first), { error: String }, first);
    t.match(await silent(second), { error: 'consent_required' }, `${second} after ${first}`);
    await decide(tab, await tab.get(requests[second]), ['orders.read', 'orders.write']);
    for (const type of [first, second]) t.notMatch(await silent(type), { error: String }, 'both by now');
  }
});

t.test('narrow: the part of a requested scope that is not registered is left out', async (t) => {
  const service = await runFront(t, { config: { scope_excess: 'narrow' } });
  const tab = await signedIn(service);
  const consent = await tab.get(authorizePath({ scope: 'orders.read admin' }));
  t.match(consent.body, /value="orders.read"/);
  t.notMatch(consent.body, /value="admin"/);
  t.match(answered(await tab.get(authorizePath({ scope: 'admin' }))), { error: 'invalid_scope' });
});

t.test('if the store does not answer, the client gets temporarily_unavailable, and a person gets 503', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const stranger = openTab(service);
  const login = await stranger.get('/oauth2/account');
  const consent = await tab.get(authorizePath());
  await service.service.records.close();
  t.match(answered(await tab.get(authorizePath())), { error: 'temporarily_unavailable', state: 'xyz' });
  for (const page of [
    await tab.get('/oauth2/account'),
    await tab.get(authorizePath({ client_id: 'unknown' })),
    await logIn(stranger, login, 'nobody'),
    await decide(tab, consent, ['orders.read']),
  ]) {
    t.equal(page.status, 503);
    t.match(page.headers.get('retry-after'), /^\d+$/);
    t.match(page.headers.get('content-type'), /text\/html/);
  }
});

t.test('nothing is written for a browser that is not signed in, whatever it sends', async (t) => {
  const directory = temporaryFolder(t);
  const records = await openStore(configuration(), { directory, clock: systemClock });
  const written: string[] = [];
  /** What only reads, and what the service does by itself now and then. */
  const spared =
    /^(find|list|sample|is[A-Z]|ping|close|sweep|watchEvents|promoteSigningKey|removeSigningKeys|takeLogoutNotices|takeSecurityEvents)/;
  const watched = new Proxy(records, {
    get(target, verb) {
      if (!spared.test(String(verb))) written.push(String(verb));
      return Reflect.get(target, verb);
    },
  });
  const service = await runFront(t, { records: watched, directory });
  const tab = openTab(service);
  written.length = 0;
  const login = await tab.get(authorizePath());
  await logIn(tab, login, 'alice', 'wrong');
  await logIn(tab, login, 'nobody', 'wrong');
  await tab.get(authorizePath({ prompt: 'none' }));
  await decide(tab, login, ['orders.read']);
  for (const path of ['/oauth2/account', '/oauth2/sign-out', '/oauth2/login']) await tab.get(path);
  for (const path of ['/oauth2/account/disconnect', '/oauth2/sign-out', '/oauth2/switch'])
    await tab.post(path, {
      csrf: login.field('transaction'),
      transaction: login.field('transaction'),
      client_id: 'web',
    });
  t.strictSame(written, []);
  await logIn(tab, login);
  t.strictSame(written, ['saveSession'], 'and then the session alone');
});
