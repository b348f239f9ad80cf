import t from 'tap';
import { openidScopes } from '../../../src/config/words/openid-scopes.ts';
import { openidPath, runProvider } from '../openid/provider.ts';
import { authorizePath, decide, logIn, openTab, runFront, signedIn } from './walk.ts';

const german = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' };
const english = { 'accept-language': 'en-US,en;q=0.9' };
const langOf = ({ body }: { readonly body: string }) => /<html lang="([^"]*)"/.exec(body)?.[1];

t.test('the pages are in the language of the browser', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const login = await tab.get('/oauth2/account', german);
  t.equal(langOf(login), 'de');
  t.match(login.body, '<h1>Anmelden</h1>');
  const refused = await tab.post(
    '/oauth2/login',
    { transaction: login.field('transaction'), username: 'alice', password: 'x' },
    german,
  );
  t.match(refused.body, 'Der Benutzername oder das Passwort ist falsch.');
  await logIn(tab, login);
  const account = await tab.get('/oauth2/account', german);
  t.match(account.body, '<h1>Ihr Konto</h1>');
  t.match(account.body, />\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2} UTC<\/time>/);
  t.match((await tab.get('/nothing', { ...german, accept: 'text/html' })).body, '<h1>Hier ist keine Seite</h1>');
  t.match((await tab.get(authorizePath({ client_id: 'x' }), german)).body, '<h1>Unbekannte Anwendung</h1>');
  for (const headers of [english, {}]) t.equal(langOf(await tab.get('/oauth2/account', headers)), 'en');
});

t.test('ui_locales comes before the language of the browser, from the login to the consent', async (t) => {
  const service = await runFront(t);
  const tab = openTab(service);
  const login = await tab.get(authorizePath({ ui_locales: 'fr de-CH' }), english);
  t.equal(langOf(login), 'de');
  const form = { transaction: login.field('transaction'), username: 'alice', password: 'wrong' };
  const again = await tab.post('/oauth2/login', form, english);
  t.equal(langOf(again), 'de', 'after a wrong password');
  const { location } = await logIn(tab, again);
  const consent = await tab.get(location?.href ?? '', english);
  t.equal(langOf(consent), 'de');
  t.match(consent.body, /<legend>Damit darf <bdi>Web Shop<\/bdi>:<\/legend>/);
  const switched = await tab.post('/oauth2/switch', { transaction: consent.field('transaction') }, english);
  t.equal(switched.location?.searchParams.get('ui_locales'), 'fr de-CH', 'for another user');
});

t.test('an unknown language in ui_locales is no error, and the client does not get it back', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const consent = await tab.get(authorizePath({ ui_locales: 'se <b> de;q=1' }), english);
  t.equal(langOf(consent), 'en');
  const answer = await decide(tab, consent, ['orders.read']);
  t.strictSame([...(answer.location?.searchParams.keys() ?? [])].sort(), ['code', 'iss', 'state']);
});

t.test('a faulty request gets its error page in the language that it asks for', async (t) => {
  const service = await runFront(t);
  const twice = '&ui_locales=de&ui_locales=en&state=a&state=b';
  const page = await openTab(service).get(`${authorizePath({ client_id: 'x' })}${twice}`, english);
  t.strictSame([page.status, langOf(page)], [400, 'de']);
  t.match(page.body, '<dd lang="en"><bdi>The client is not registered.</bdi></dd>');
  const logout = await openTab(service).get(`/nothing?ui_locales=de`, { ...english, accept: 'text/html' });
  t.equal(langOf(logout), 'de');
});

t.test('the page that posts an answer is in the language of the request', async (t) => {
  const service = await runFront(t);
  const tab = await signedIn(service);
  const path = authorizePath({ ui_locales: 'de', response_mode: 'form_post' });
  const page = await decide(tab, await tab.get(path, english), ['orders.read']);
  t.equal(langOf(page), 'de');
  t.match(page.body, 'Zurück zur Anwendung');
});

t.test('our own texts of scopes are in the language of the page, and the operator’s stay as written', async (t) => {
  const service = await runProvider(t, { config: { scopes: { ...openidScopes, email: 'Write to you' } } });
  const tab = await signedIn(service);
  const { body } = await tab.get(openidPath({ scope: 'openid profile email' }), german);
  t.match(body, 'Ihren Namen und Ihr Profil sehen');
  t.match(body, 'Write to you');
});

t.test('the metadata list the languages', async (t) => {
  const service = await runFront(t);
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const metadata = await (await fetch(`${service.url}/.well-known/${name}`)).json();
    t.strictSame((metadata as { ui_locales_supported: unknown }).ui_locales_supported, ['en', 'de'], name);
  }
});
