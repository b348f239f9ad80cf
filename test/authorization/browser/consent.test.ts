import t from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import { redeem, refresh, refreshed, type TokenAnswer } from '../grant-flow.ts';
import { web } from '../running-service.ts';
import {
  answered,
  authorizePath,
  callback,
  clientsWith,
  decide,
  logIn,
  openTab,
  runFront,
  sessionOf,
  signedIn,
  verifier,
} from './walk.ts';

const webJwt = { id: 'web-jwt', secret: web.secret };
const base = { scope: 'orders.read orders.write', grant_types: ['authorization_code' as const] };
const native = { client_id: 'app', redirect_uri: 'http://127.0.0.1:4711/callback' };

/** The login page has one script of its own. */
const ownScript = /<script>\n[^<]*<\/script>/;

/** Spellings of markup that would run, or escape from the attribute or element that contains them. */
const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</title><script>alert(1)</script>',
  '&lt;script&gt;',
  '{{constructor.constructor("alert(1)")()}}',
  '<!--<script>',
  'javascript:alert(1)',
  '\u202etxt.exe',
  '<a href="https://evil.example">Sign in</a>',
];

t.test('T29: a client_name is always text, and the page shows where the code goes', async (t) => {
  const clients = clientsWith(
    ...hostile.map((client_name, index) => ({
      ...base,
      client_id: `hostile-${index}`,
      client_name,
      redirect_uris: [callback],
    })),
  );
  const service = await runFront(t, { config: { clients } });
  const [tab, stranger] = [await signedIn(service), openTab(service)];
  for (const [index, name] of hostile.entries()) {
    const path = authorizePath({ client_id: `hostile-${index}`, login_hint: name });
    for (const page of [await tab.get(path), await stranger.get(path)]) {
      t.equal(page.status, 200);
      t.notMatch(
        page.body.replace(ownScript, ''),
        /<script|<img|<svg|<!--|onerror=alert\(1\)>|<a href="https:\/\/evil/,
        name,
      );
      t.match(page.body, /shop\.example\.com/);
      t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/);
    }
  }
});

t.test('T29: the consent form works only from this browser, this session and our own page', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const consent = await tab.get(authorizePath());
  const form = { transaction: consent.field('transaction'), scope: 'orders.read', decision: 'allow' };
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    t.match((await tab.post('/oauth2/consent', form, headers)).body, /form_forged/);
  const other = await signedIn(service);
  t.match((await other.post('/oauth2/consent', form)).body, /form_forged/, 'another browser of the same user');
  const login = await tab.get(authorizePath({ prompt: 'login' }));
  t.match(
    (await tab.post('/oauth2/consent', { ...form, transaction: login.field('transaction') })).body,
    /form_forged/,
    'a transaction of another kind of page',
  );
  await logIn(tab, login, 'bob', 'builder');
  const late = await tab.post('/oauth2/consent', form);
  t.strictSame([late.status, late.location], [400, undefined], 'shown to alice, answered as bob');
  t.equal((await service.service.records.listConnectedApps('alice', 0)).length, 0);
  t.equal((await service.service.records.listConnectedApps('bob', 0)).length, 0);
});

t.test('a scope that is not ticked is not granted, and the token says so', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const granted = await decide(tab, await tab.get(authorizePath()), ['orders.write']);
  const form = {
    grant_type: 'authorization_code',
    code: answered(granted).code ?? '',
    redirect_uri: callback,
    code_verifier: verifier,
    client_id: 'web',
    client_secret: 'cs_web-secret-of-32-bytes-or-more',
  };
  const tokens = (await (await service.post('/oauth2/token', form)).json()) as { scope: string; access_token: string };
  t.equal(tokens.scope, 'orders.write');
  t.match(await service.introspect(tokens.access_token), { active: true, scope: 'orders.write', username: 'alice' });
});

for (const client of [web, webJwt])
  t.test(`a scope that is refused later ends the older tokens of ${client.id} that have it`, async (t) => {
    const service = await runFront(t);
    const tab = await signedIn(service, 'bob', 'builder');
    const grant = async (boxes: string[]) => {
      const page = await tab.get(authorizePath({ client_id: client.id, prompt: 'consent' }));
      const { code } = answered(await decide(tab, page, boxes));
      return (await (await redeem(service, code ?? '', {}, client)).json()) as TokenAnswer;
    };
    const [first, second] = [await grant(['orders.read', 'orders.write']), await grant(['orders.read'])];
    const again = await refresh(service, first.refresh_token, {}, client);
    t.match(await again.json(), { error: 'invalid_grant' });
    t.same(await service.introspect(first.access_token), { active: false });
    t.match(await service.introspect(second.access_token), { active: true, scope: 'orders.read' });
    t.equal((await refreshed(service, second.refresh_token, {}, client)).scope, 'orders.read');
  });

t.test(
  'the second check: whatever the form says, the grant never exceeds the requested and registered scope',
  async (t) => {
    const service = await runFront(t);
    const scopeOf = async (boxes: [string, string][], asked = 'orders.read') => {
      const tab = await signedIn(service);
      const path = authorizePath({ scope: asked, prompt: 'consent' });
      const consent = await tab.get(path);
      const transaction: [string, string] = ['transaction', consent.field('transaction')];
      const { code, error } = answered(
        await tab.post('/oauth2/consent', [transaction, ...boxes, ['decision', 'allow']]),
      );
      return error ?? (await service.service.records.findCode(sha256(code ?? '')))?.scope;
    };
    const read: [string, string] = ['scope', 'orders.read'];
    t.equal(
      await scopeOf([read, ['scope', 'orders.write'], ['scope', 'admin'], ['scope', '__proto__']]),
      'orders.read',
    );
    t.equal(await scopeOf([['rscope', 'orders.read']]), 'orders.read', 'by its other name');
    t.equal(
      await scopeOf([['rscope', 'orders.read orders.write admin']], 'orders.write orders.read'),
      'orders.write orders.read',
    );
    t.equal(await scopeOf([['scope', 'admin']]), 'access_denied');
    t.equal(await scopeOf([]), 'access_denied', 'nothing ticked');
  },
);

t.test('Deny, and every value except Allow, is access_denied and uses up the page', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  for (const decision of ['deny', '', 'Allow', 'x']) {
    const consent = await tab.get(authorizePath());
    const page = await decide(tab, consent, ['orders.read'], decision);
    t.equal(page.status, 303);
    t.match(answered(page), { error: 'access_denied', state: 'xyz', iss: service.issuer });
    for (const second of [await decide(tab, consent, ['orders.read']), await decide(tab, consent, [], 'deny')])
      t.equal(second.location?.pathname, '/oauth2/authorize', 'no second thought by the same page');
  }
  t.match((await tab.get(authorizePath())).body, /name="decision"/, 'a denial is not remembered');
  t.match(service.logged(), /"consent_denied"/);
});

t.test('advisory 70: of twenty answers to one page at the same time, one counts', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const consent = await tab.get(authorizePath());
  const pages = await Promise.all(Array.from({ length: 20 }, () => decide(tab, consent, ['orders.read'])));
  const codes = pages.filter(({ location }) => location?.searchParams.has('code'));
  t.equal(codes.length, 1);
  t.equal(new Set(codes.map((page) => answered(page).code)).size, 1);
});

t.test(
  'a button that is pressed twice still leads to the client, although the browser shows only the second answer',
  async (t) => {
    const service = await runFront(t);
    const tab = await signedIn(service);
    const consent = await tab.get(authorizePath({ scope: 'orders.read' }));
    const [first, second] = [await decide(tab, consent, ['orders.read']), await decide(tab, consent, ['orders.read'])];
    t.match(answered(first), { code: /^ac_/ });
    t.notOk('code' in answered(second));
    t.match(answered(await tab.get(second.location?.href ?? '')), { code: /^ac_/, state: 'xyz' });
  },
);

t.test('a granted scope is not asked for again; a new scope is, and the remembered consent grows', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const ask = (scope: string) => tab.get(authorizePath({ scope }));
  await decide(tab, await ask('orders.read'), ['orders.read']);
  t.match(answered(await ask('orders.read')), { code: /^ac_/ });
  t.match((await ask('orders.read orders.write')).body, /name="decision"/);
  const more = await ask('orders.write');
  t.match(more.body, /name="decision"/);
  await decide(tab, more, ['orders.write']);
  t.match(answered(await ask('orders.read orders.write')), { code: /^ac_/ }, 'the union of both');
  const bob = await signedIn(service, 'bob', 'builder');
  t.match((await bob.get(authorizePath())).body, /name="decision"/, 'each user for himself');
});

t.test(
  'T29: a public client on a loopback address is asked about every time; one on its own https address once',
  async (t) => {
    const clients = clientsWith(
      { ...base, client_id: 'spa', redirect_uris: ['https://spa.example.com/cb'] },
      { ...base, client_id: 'scheme', redirect_uris: ['com.example.app:/cb'] },
      { ...base, client_id: 'local', redirect_uris: ['https://localhost/cb'] },
    );
    const service = await runFront(t, { config: { clients } });
    const tab = await signedIn(service);
    const again = async (changes: Record<string, string>) => {
      await decide(tab, await tab.get(authorizePath(changes)), ['orders.read', 'orders.write']);
      return tab.get(authorizePath(changes));
    };
    t.match(answered(await again({ client_id: 'spa', redirect_uri: 'https://spa.example.com/cb' })), { code: /^ac_/ });
    for (const changes of [
      native,
      { client_id: 'scheme', redirect_uri: 'com.example.app:/cb' },
      { client_id: 'local', redirect_uri: 'https://localhost/cb' },
    ]) {
      t.match((await again(changes)).body, /name="decision"/, changes.client_id);
      const silent = await tab.get(authorizePath({ ...changes, prompt: 'none' }));
      t.match(answered(silent), { error: 'interaction_required' });
    }
  },
);

t.test(
  'the page asks only for what is allowed now: a scope that the client has lost since then is not granted',
  async (t) => {
    const service = await runFront(t);
    const tab = await signedIn(service);
    const consent = await tab.get(authorizePath());
    const { clients } = service.service;
    const less = async (id: string) => ({
      kind: 'found',
      client: { ...(await clients.find(id)), scope: ['orders.read'] },
    });
    Object.assign(service.service, { clients: { ...clients, look: less } });
    t.match(answered(await decide(tab, consent, ['orders.read', 'orders.write'])), { error: 'invalid_scope' });
    Object.assign(service.service, { clients: { ...clients, look: async () => ({ kind: 'unknown' }) } });
    const gone = await decide(tab, consent, ['orders.read']);
    t.strictSame([gone.status, gone.location], [400, undefined]);
  },
);

t.test('"not you?" ends the session and asks for a new login for the same request', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const consent = await tab.get(authorizePath());
  const form = { transaction: consent.field('transaction') };
  t.equal((await tab.post('/oauth2/switch', form, { origin: 'https://evil.example' })).status, 403);
  const page = await tab.post('/oauth2/switch', form);
  t.equal(page.status, 303);
  t.equal(sessionOf(tab), undefined);
  const login = await tab.get(page.location?.href ?? '');
  t.match(login.body, /name="password"/);
  const back = await logIn(tab, login, 'bob', 'builder');
  t.match((await tab.get(back.location?.href ?? '')).body, /bob/);
  t.equal((await service.service.records.listSessions('alice', 0)).length, 0);
});
