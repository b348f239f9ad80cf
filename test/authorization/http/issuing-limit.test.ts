import t, { type Test } from 'tap';
import type { GrantType } from '../../../src/config/schema/authorization.ts';
import { redisServer, skipWithoutRedis } from '../../support/redis.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { until } from '../../support/until.ts';
import { answered, authorizePath, decide, runFront, signedIn, type Tab } from '../browser/walk.ts';
import { code, verifier } from '../grant-flow.ts';
import {
  basic,
  type Changes,
  callback,
  configuration,
  other,
  type Running,
  run,
  shop,
  web,
} from '../running-service.ts';
import { askForCode, consented, mini, origin, queryOf, runSession } from '../session-flow.ts';

/** The number of requests that pass in a minute from an address, with one code of a session. */
const MOST = 5;
/** All of them at the same time. */
const ASKED = 20;

const here = '192.0.2.1';
const passwordToo: GrantType[] = ['authorization_code', 'refresh_token', 'password'];

function limited(most = MOST, changes: Changes = {}): Changes {
  const { clients } = configuration();
  return {
    trusted_proxies: ['127.0.0.1/32'],
    tokens: { max_a_minute: most },
    clients: clients.map((client) => (client.client_id === web.id ? { ...client, grant_types: passwordToo } : client)),
    ...changes,
  };
}

type Form = Record<string, string>;

const ask = (service: Running, form: Form, client = shop, address = here) =>
  service.post('/oauth2/token', form, { ...basic(client), 'x-forwarded-for': address });

const forItself = (service: Running, client = shop, address = here) =>
  ask(service, { grant_type: 'client_credentials' }, client, address);

const redeeming = (text: string): Form => ({
  grant_type: 'authorization_code',
  code: text,
  redirect_uri: callback,
  code_verifier: verifier,
});
const refreshing = (refresh_token: string): Form => ({ grant_type: 'refresh_token', refresh_token });

async function statuses(answers: readonly Promise<{ readonly status: number }>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** The parameters of each grant, `ASKED` times. Every request is valid. */
const grants: Record<string, (service: Running) => Promise<readonly (() => Promise<Response>)[]>> = {
  client_credentials: async (service) => times(ASKED, () => () => forItself(service)),
  password: async (service) => {
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    return times(ASKED, () => () => ask(service, form, web));
  },
  authorization_code: async (service) => {
    const codes = await Promise.all(times(ASKED, () => code(service)));
    return codes.map((text) => () => ask(service, redeeming(text), web));
  },
  refresh_token: async (service) => {
    const granted = await Promise.all(times(ASKED, () => fromElsewhere(service)));
    return granted.map(
      ({ refresh_token }) =>
        () =>
          ask(service, refreshing(refresh_token), web),
    );
  },
};

/** Tokens that were requested from other addresses, so that they do not count for this address. */
let elsewhere = 0;
async function fromElsewhere(service: Running) {
  const answer = await ask(service, redeeming(await code(service)), web, `198.51.100.${++elsewhere}`);
  return (await answer.json()) as { refresh_token: string };
}

for (const [grant, questions] of Object.entries(grants)) {
  t.test(
    `as many valid requests of one client from one address pass in a minute as the file allows: ${grant}`,
    async (t) => {
      const service = await run(t, { clock: settableClock(), config: limited() });
      const counts = await statuses((await questions(service)).map((each) => each()));
      t.strictSame(counts, { 200: MOST, 429: ASKED - MOST });
    },
  );
}

t.test('above the limit: 429, Retry-After to the second, and JSON as in every refusal', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock, config: limited() });
  for (let n = 0; n < MOST; n++) await forItself(service);
  clock.advance(20_000);
  const refused = await forItself(service);
  t.equal(refused.status, 429);
  t.equal(refused.headers.get('retry-after'), '40');
  t.equal(refused.headers.get('cache-control'), 'no-store');
  t.match(await refused.json(), { error: 'temporarily_unavailable', error_description: /^Too many requests/ });
  clock.advance(39_999);
  t.equal((await forItself(service)).status, 429);
  clock.advance(1);
  t.strictSame(await statuses(times(ASKED, () => forItself(service))), { 200: MOST, 429: ASKED - MOST });
});

t.test('neither another client at the address nor the client at another address is limited', async (t) => {
  const service = await run(t, { clock: settableClock(), config: limited() });
  const full = { 200: MOST, 429: ASKED - MOST };
  const places: [typeof shop, string][] = [
    [shop, here],
    [other, here],
    [shop, '192.0.2.2'],
    [shop, '2001:db8::1'],
    [shop, '2001:db8:0:1::1'],
  ];
  for (const [client, address] of places)
    t.strictSame(await statuses(times(ASKED, () => forItself(service, client, address))), full, address);
  t.equal((await forItself(service, shop, '2001:db8::ffff:2')).status, 429, 'a /64 is one address');
  t.equal((await forItself(service, shop, '::ffff:192.0.2.1')).status, 429, 'an address has one spelling');
});

t.test('a request that the limit refuses uses up no code and no refresh token', async (t) => {
  const clock = settableClock();
  const service = await run(t, { clock, config: limited() });
  const { refresh_token } = await fromElsewhere(service);
  const text = await code(service, { expiresAt: Math.floor(clock.now() / 1000) + 300 });
  const fill = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  for (let n = 0; n < MOST; n++) t.equal((await ask(service, fill, web)).status, 200);
  for (let n = 0; n < ASKED; n++) {
    t.equal((await ask(service, { ...redeeming(text), code_verifier: 'x'.repeat(43) }, web)).status, 429);
    t.equal((await ask(service, refreshing(refresh_token), web)).status, 429);
  }
  clock.advance(60_000);
  t.equal((await ask(service, redeeming(text), web)).status, 200, 'wrong verifiers did not count either');
  const again = await ask(service, refreshing(refresh_token), web);
  t.equal(again.status, 200);
});

t.test('requests without the right secret do not count against the limit', async (t) => {
  const service = await run(t, { clock: settableClock(), config: limited() });
  for (let n = 0; n < ASKED; n++) t.not((await forItself(service, { ...shop, secret: 'cs_guessed' })).status, 200);
  t.strictSame(await statuses(times(ASKED, () => forItself(service))), { 200: MOST, 429: ASKED - MOST });
});

t.test('max_a_minute: 0 limits nothing', async (t) => {
  const service = await run(t, { clock: settableClock(), config: limited(0) });
  t.strictSame(await statuses(times(100, () => forItself(service))), { 200: 100 });
});

t.test('the default limit is a hundred a second, and a burst of them passes', async (t) => {
  const service = await run(t, { clock: settableClock() });
  t.equal(service.service.config.tokens.max_a_minute, 6_000);
  t.strictSame(await statuses(times(300, () => forItself(service))), { 200: 300 });
});

t.test('the audit log has the first refusal and the total, and /metrics counts them', async (t) => {
  const service = await run(t, { clock: settableClock(), config: limited() });
  await statuses(times(ASKED, () => forItself(service)));
  const metrics = await (await fetch(`${service.admin}/metrics`)).text();
  t.match(metrics, `answers_total{endpoint="token",outcome="too_many_requests"} ${ASKED - MOST}\n`);
  await service.stop();
  t.strictSame(
    audited(service).map(({ event, client_id, address, detail, count }) => [event, client_id, address, detail, count]),
    [
      ['client_limited', 'shop', here, 'address', undefined],
      ['client_limited', 'shop', here, 'address', ASKED - MOST - 1],
    ],
  );
});

function audited(service: Running): Record<string, unknown>[] {
  const lines = service.logged().split('\n');
  const events = lines.filter((line) => line.includes('"msg":"audit"')).map((line) => JSON.parse(line));
  return events.filter(({ event }) => event === 'client_limited');
}

/** For an application that exchanges codes without a browser. Its codes are requested from its user's address. */
async function exchanging(t: Test, errors: 'oauth' | 'errcode') {
  const { clients: _web, ...config } = limited();
  const service = await runSession(t, { clock: settableClock(), session: { errors }, config });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const codes: string[] = [];
  for (let n = 0; n < ASKED; n++) {
    const answer = await askForCode(service, {}, from(`198.51.100.${n}`));
    codes.push(((await answer.json()) as { code: string }).code);
  }
  return { service, codes, from };
}

t.test('session keys have the limit too, in the query and the form, and a refused code stays valid', async (t) => {
  for (const errors of ['oauth', 'errcode'] as const) {
    const { service, codes, from } = await exchanging(t, errors);
    const exchange = (text: string, address: string) => fetch(service.url + queryOf(text), { headers: from(address) });
    const answers = await Promise.all(codes.map((text) => exchange(text, here)));
    const bodies = (await Promise.all(answers.map((each) => each.json()))) as Record<string, unknown>[];
    t.equal(bodies.filter(({ session_key }) => session_key !== undefined).length, MOST);
    const refused = bodies.flatMap(({ session_key }, n) => (session_key === undefined ? [n] : []));
    t.equal(refused.length, ASKED - MOST);
    for (const n of refused) {
      t.equal(answers[n]?.headers.get('retry-after'), '60');
      if (errors === 'oauth') t.match([answers[n]?.status, bodies[n]], [429, { error: 'temporarily_unavailable' }]);
      else t.match([answers[n]?.status, bodies[n]], [200, { errcode: 45011 }]);
    }
    const form = { grant_type: 'authorization_code', code: codes[refused[0] ?? 0] ?? '' };
    t.equal((await service.post('/oauth2/session', form, { ...basic(mini), ...from('203.0.113.9') })).status, 200);
  }
});

t.test('codes for a password have the limit of the client and the address', async (t) => {
  const { clients: _web, ...config } = limited();
  const service = await runSession(t, { clock: settableClock(), config });
  const code = (address: string) => askForCode(service, {}, { 'x-forwarded-for': address });
  t.strictSame(await statuses(times(ASKED, () => code(here))), { 200: MOST, 429: ASKED - MOST });
  t.equal((await code('192.0.2.2')).status, 200);
});

/** Of a session: a twentieth. */
const CODES = 3;
const forCodes = (changes: Changes = {}) => limited(CODES * 20, changes);

/** The user granted consent before, so each request gives a code immediately. */
async function letIn(service: Running, tab: Tab, client = 'web'): Promise<void> {
  const page = await tab.get(authorizePath({ client_id: client }));
  const answer = await decide(tab, page, ['orders.read', 'orders.write']);
  if (answered(answer).code === undefined) throw new Error(`no code: ${answer.status} of ${service.url}`);
}

t.test(
  "one session gets a twentieth of the client's limit in codes, and the answer says when it may continue",
  async (t) => {
    const clock = settableClock();
    const service = await runFront(t, { clock, config: forCodes() });
    const tab = await signedIn(service);
    await letIn(service, tab);
    await letIn(service, tab, 'web-retry');
    const outcomes = async (who: Tab, client = 'web') => {
      const pages = await Promise.all(times(ASKED, () => who.get(authorizePath({ client_id: client }))));
      const counts: Record<string, number> = {};
      for (const { code: given, error = 'none' } of pages.map(answered)) {
        const outcome = given === undefined ? error : 'code';
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      return counts;
    };
    const rest = (passed: number) => ({ code: passed, temporarily_unavailable: ASKED - passed });
    t.strictSame(await outcomes(tab), rest(CODES - 1));
    t.strictSame(await outcomes(tab, 'web-retry'), rest(CODES - 1), 'another client has its own');
    t.strictSame(await outcomes(await signedIn(service)), rest(CODES), 'another session has its own');
    const { state, iss } = answered(await tab.get(authorizePath()));
    t.strictSame([state, iss], ['xyz', service.issuer], 'the client can tell whose answer it is');
    clock.advance(60_000);
    t.strictSame(await outcomes(tab), rest(CODES));
    await service.stop();
    t.match(audited(service)[0], { client_id: 'web', sub: 'alice', username: 'alice', detail: 'session' });
  },
);

t.test('a consent that exceeds the limit is not used up: the same page works a minute later', async (t) => {
  const clock = settableClock();
  const service = await runFront(t, { clock, config: forCodes() });
  const tab = await signedIn(service);
  await letIn(service, tab);
  for (let n = 1; n < CODES; n++) await tab.get(authorizePath());
  const page = await tab.get(authorizePath({ prompt: 'consent' }));
  t.match(answered(await decide(tab, page, ['orders.read'])), { error: 'temporarily_unavailable' });
  clock.advance(60_000);
  t.match(answered(await decide(tab, page, ['orders.read'])), { code: /^ac_/ });
});

t.test('codes for a cookie without a browser have the limit of the session', async (t) => {
  const { clients: _web, ...config } = forCodes();
  const service = await runSession(t, { clock: settableClock(), config });
  const tab = await consented(service, []);
  const ask = () => tab.post('/oauth2/session/code', { client_id: mini.id }, { origin });
  await ask();
  const answers = await Promise.all(times(ASKED, ask));
  const refused = answers.filter(({ status }) => status === 429);
  t.equal(refused.length, ASKED - CODES + 1);
  for (const { headers } of refused) t.equal(headers.get('retry-after'), '60');
});

t.test(
  'two services on one Redis count together, and each counts alone without it',
  { skip: skipWithoutRedis },
  async (t) => {
    const redis = await redisServer(t);
    const config = limited(MOST, { counters: { url: redis.url } });
    const [one, two] = [await run(t, { config }), await run(t, { config })];
    const lost = () => [one, two].flatMap((each) => each.logged().match(/counters cannot be reached/g) ?? []).length;
    // a round counts only if Redis answered in time, which it may not do on a busy machine
    for (let round = 0, before = -1; before !== lost(); round++) {
      before = lost();
      const answers = [one, two].flatMap((service) => times(ASKED, () => forItself(service, shop, `192.0.2.${round}`)));
      const counts = await statuses(answers);
      if (before === lost()) t.strictSame(counts, { 200: MOST, 429: 2 * ASKED - MOST });
    }
    await redis.kill();
    t.ok(await until(async () => (await forItself(one, shop, '203.0.113.8')).status === 429), 'never an open door');
    t.equal(one.service.counters.reachable(), false);
  },
);
