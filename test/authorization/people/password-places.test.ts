import t, { type Test } from 'tap';
import { type BoundedQueue, buildBoundedQueue } from '../../../src/base/bounded-queue.ts';
import { buildPasswords } from '../../../src/base/passwords.ts';
import { cookieName, openTab, type Page, runFront, signedIn, type Tab } from '../browser/walk.ts';

const WAITING = 64;
const KEPT = 16;
const SHARE = 0.25;

/** The service's places for password checks. Both of its threads are busy until `free` is called. */
async function heldService(t: Test) {
  const service = await runFront(t, { config: { trusted_proxies: ['127.0.0.1/32'] } });
  const known = await signedIn(service);
  const queue = buildBoundedQueue({ atOnce: 2, waiting: WAITING, kept: KEPT });
  Object.assign(service.service, { passwords: buildPasswords({ queue }) });
  const gate = Promise.withResolvers<void>();
  const busy = [queue.run(() => gate.promise), queue.run(() => gate.promise)];
  const free = async () => {
    gate.resolve();
    await Promise.all(busy);
  };
  return { service, known, queue, free };
}

interface Form {
  readonly tab: Tab;
  readonly page: Page;
}

/** Passwords of strangers, each from a separate address. */
function typed({ tab, page }: Form, address: string, username: string, password = 'wrong'): Promise<Page> {
  const form = { transaction: page.field('transaction'), username, password };
  return tab.post('/oauth2/login', form, { 'x-forwarded-for': address });
}

async function formOf(tab: Tab): Promise<Form> {
  await tab.get('/oauth2/account');
  tab.cookies.delete(cookieName(tab, 'sid'));
  return { tab, page: await tab.get('/oauth2/account') };
}

function waiting(queue: BoundedQueue): { strangers: number; known: number } {
  const sum = (held: ReadonlyMap<string, number>) => held.values().reduce((all, one) => all + one, 0);
  const { strangers, known } = queue.held();
  return { strangers: sum(strangers) - 2, known: sum(known) };
}

/** A password that gets no place is answered while all others wait. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setImmediate(resolve));
}

t.test('strangers from 120 address blocks fill only their own places, and known browsers get in', async (t) => {
  const { service, known, queue, free } = await heldService(t);
  const stranger = await formOf(openTab(service));
  const right = await formOf(known);
  const answers: Promise<Page>[] = [];
  let answered = 0;
  for (let block = 0; block < 120; block++) {
    const address = block % 2 === 0 ? `198.51.100.${block}` : `2001:db8:${block.toString(16)}::1`;
    answers.push(typed(stranger, address, block % 3 === 0 ? 'alice' : `nobody-${block}`).finally(() => answered++));
  }
  const most = WAITING - KEPT;
  await until(() => answered === 120 - most);
  t.strictSame(waiting(queue), { strangers: most, known: 0 });
  const logins = [1, 2, 3, 4].map(() => typed(right, '203.0.113.7', 'alice', 'wonderland'));
  await until(() => waiting(queue).known === logins.length);
  t.strictSame(queue.held().known, new Map([['alice', KEPT * SHARE]]));
  await free();
  const seen = (await Promise.all(answers)).map(({ status }) => status);
  t.equal(seen.filter((status) => status === 503).length, 120 - most);
  t.equal(seen.filter((status) => status === 403).length, most, 'each that had a place was judged');
  for (const login of await Promise.all(logins)) t.equal(login.status, 303);
});

t.test('all addresses of a /48 have one share, which gives way to others', async (t) => {
  const { service, queue, free } = await heldService(t);
  const stranger = await formOf(openTab(service));
  const share = (WAITING - KEPT) * SHARE;
  let answered = 0;
  const site = (index: number) => `2001:db8:7:${index.toString(16)}::1`;
  const answers = Array.from({ length: 120 }, (_, index) =>
    typed(stranger, site(index), `nobody-${index}`).finally(() => answered++),
  );
  await until(() => answered === 120 - share);
  t.equal(queue.held().strangers.get('2001:db8:7'), share);
  const others = Array.from({ length: 40 }, (_, index) =>
    typed(stranger, `198.51.100.${index}`, 'bob', 'builder').finally(() => answered++),
  );
  await until(() => queue.held().strangers.size === 42);
  t.strictSame(waiting(queue), { strangers: WAITING - KEPT, known: 0 });
  t.equal(queue.held().strangers.get('2001:db8:7'), WAITING - KEPT - 40, 'the last of it gave way');
  await free();
  for (const login of await Promise.all(others)) t.equal(login.status, 303);
  const judged = (await Promise.all(answers)).filter(({ status }) => status === 403);
  t.equal(judged.length, WAITING - KEPT - 40);
});

t.test('a cookie that is forged, expired or for another account makes no browser known', async (t) => {
  const { service, known, queue, free } = await heldService(t);
  const right = known.cookies.get(cookieName(known, 'known')) ?? '';
  const [id = '', expires = '', code = ''] = right.split('.');
  t.match(right, /^[\w-]{22}\.\d{10}\.[\w-]{22}$/);
  const bob = (await formOf(openTab(service))).tab;
  const forged = [
    ['alice', ''],
    ['alice', 'x'],
    ['alice', `${id}.${expires}.${'A'.repeat(22)}`],
    ['alice', `${id}.${Number(expires) + 1}.${code}`],
    ['alice', `${'A'.repeat(22)}.${expires}.${code}`],
    ['bob', right],
    ['nobody', right],
  ] as const;
  const page = await bob.get('/oauth2/account');
  const answers = forged.map(async ([username, cookie], index) => {
    bob.cookies.set(cookieName(bob, 'known'), cookie);
    return typed({ tab: bob, page }, `198.51.100.${index}`, username);
  });
  await until(() => waiting(queue).strangers === forged.length);
  t.equal(waiting(queue).known, 0);
  await free();
  for (const answer of await Promise.all(answers)) t.equal(answer.status, 403);
});
