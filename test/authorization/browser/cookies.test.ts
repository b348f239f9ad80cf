import t from 'tap';
import { openTab, runFront, sessionName, sessionOf, signedIn, type Tab } from './walk.ts';

const isSignedIn = async (tab: Tab, path: string, cookie?: string) =>
  /name="csrf"/.test((await tab.get(path, cookie === undefined ? {} : { cookie })).body);

t.test('issuers on one host, at other paths or ports, do not sign each other out', async (t) => {
  const issuers = ['/one', '/two', ''].map(async (path) => ({
    path,
    service: await runFront(t, { config: { issuer: `http://127.0.0.1:1${path}` } }),
  }));
  const cookies = new Map<string, string>();
  const signedIns = [];
  for (const { path, service } of await Promise.all(issuers)) {
    const tab = { ...openTab(service) };
    for (const [name, value] of cookies) tab.cookies.set(name, value);
    const login = await tab.get(`${path}/oauth2/account`);
    const form = { transaction: login.field('transaction'), username: 'alice', password: 'wonderland' };
    t.equal((await tab.post(`${path}/oauth2/login`, form)).status, 303);
    for (const [name, value] of tab.cookies) cookies.set(name, value);
    signedIns.push({ path, tab });
  }
  t.equal(cookies.size, 9, 'three at each issuer, under names of their own');
  for (const { path, tab } of signedIns) {
    const shared = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    t.equal(await isSignedIn(tab, `${path}/oauth2/account`, shared), true, path);
  }
  const [here, there] = [await signedIn(await runFront(t)), await signedIn(await runFront(t))];
  t.not(sessionName(here), sessionName(there), 'other ports');
});

t.test('if two session cookies differ, neither counts, because one of them was planted', async (t) => {
  const service = await runFront(t);
  const [alice, thief] = [await signedIn(service), await signedIn(service, 'bob', 'builder')];
  const name = sessionName(alice);
  const [hers, his] = [`${name}=${sessionOf(alice)}`, `${name}=${sessionOf(thief)}`];
  for (const cookie of [`${hers}; ${his}`, `${his}; ${hers}`, `${his};${hers}`])
    t.equal(await isSignedIn(alice, '/oauth2/account', cookie), false);
  t.equal(await isSignedIn(alice, '/oauth2/account', `${hers}; other=1; ${hers}`), true, 'the same one twice');
});
