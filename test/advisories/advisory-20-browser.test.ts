import t from 'tap';
import {
  authorizePath,
  callback,
  clientsWith,
  decide,
  openTab,
  type Page,
  runFront,
  signedIn,
} from '../authorization/browser/walk.ts';
import { corpus, skip } from '../support/corpora.ts';

/** 15,588 requests: 20 to 35 s beside other files, and over 60 s on a machine at half of its speed. */
t.setTimeout(240_000);

const lists = ['oauth2-proxy_openredirects', 'patt_Open-Redirect-payloads', 'patt_openredirects'];
const values = () => lists.flatMap((list) => corpus(`redirect-lists/${list}.txt`).trimEnd().split('\n'));

const loopback = 'http://127.0.0.1/cb';
const clients = clientsWith({
  client_id: 'native',
  redirect_uris: [loopback],
  scope: 'orders.read',
  grant_types: ['authorization_code'],
});

/** Places where a program may read an address to redirect the browser to. */
const places: readonly ((value: string) => string)[] = [
  (value) => authorizePath({ redirect_uri: value }),
  (value) => authorizePath({ redirect_uri: callback + value }),
  (value) => authorizePath({ client_id: 'native', redirect_uri: value }),
  (value) => authorizePath({ client_id: 'native', redirect_uri: `http://127.0.0.1:${value}` }),
  (value) => authorizePath({ state: value, login_hint: value }),
  (value) => authorizePath({ response_mode: value, prompt: 'none' }),
  (value) => `/oauth2/login?next=${encodeURIComponent(value)}&rd=${encodeURIComponent(value)}`,
  (value) => `/oauth2/account?done=${encodeURIComponent(value)}`,
  (value) => `/oauth2/sign-out?post_logout_redirect_uri=${encodeURIComponent(value)}`,
];

/** On this service, or at a registered address, with nothing that could be read as another host. */
function isAllowed(location: string): boolean {
  const onward = [callback, loopback].some((uri) => location.startsWith(`${uri}?`));
  return onward || /^\/oauth2\/[a-z-]+(?:$|\?)/.test(location);
}

/** CVE-2021-21291, GHSA-5m6c-jp6f-2vcv: open redirects. */
t.test('advisory 20: no value of the lists redirects away from the registered addresses', { skip }, async (t) => {
  t.equal(values().length, 866);
  const service = await runFront(t, { config: { clients } });
  const [tab, stranger] = [await signedIn(service), openTab(service)];
  await decide(tab, await tab.get(authorizePath()), ['orders.read', 'orders.write']);
  const seen = { off: [] as string[], redirected: 0, refused: 0 };
  const look = (value: string, page: Page) => {
    const location = page.headers.get('location');
    if (location === null) seen.refused++;
    else if (isAllowed(location)) seen.redirected++;
    else seen.off.push(`${value} → ${location}`);
  };
  const visitors = [
    [tab, {}],
    [stranger, { 'x-forwarded-host': 'evil.example', 'x-forwarded-prefix': '//evil.example' }],
  ] as const;
  for (const value of values()) {
    const targets = places.map((place) => place(value));
    const asked = visitors.flatMap(([visitor, headers]) => targets.map((target) => visitor.get(target, headers)));
    for (const page of await Promise.all(asked)) look(value, page);
  }
  t.strictSame(seen.off, []);
  t.ok(seen.redirected > 866 && seen.refused > 866 * 4, JSON.stringify(seen));
});
