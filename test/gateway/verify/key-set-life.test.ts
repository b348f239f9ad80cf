import { exportJWK, generateKeyPair, type JWK } from 'jose';
import t, { type Test } from 'tap';
import type { Fetched } from '../../../src/gateway/server-client/fetch-json.ts';
import { keySet } from '../../../src/gateway/server-client/key-set.ts';
import type { KeySource } from '../../../src/gateway/server-client/key-source.ts';
import { heldClock } from '../issuer.ts';

const made = async (kid: string): Promise<JWK> => ({
  ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
  kid,
});
const [one, two] = [await made('one'), await made('two')];
const set = (...keys: unknown[]): Fetched => ({ kind: 'json', value: { keys } }) as Fetched;
const failed = { kind: 'failed', detail: 'gone' } as Fetched;

/** A source whose next answer a test gives, and all its log lines. */
function open(t: Test, changes: Partial<KeySource> = {}) {
  const clock = heldClock();
  const said: string[] = [];
  const answers: (Fetched | Error)[] = [];
  let loads = 0;
  let came: ((set: Fetched) => void) | undefined;
  const source: KeySource = {
    async load() {
      loads++;
      const next = answers.shift() ?? failed;
      if (next instanceof Error) throw next;
      return next;
    },
    every: 600_000,
    follow(tell) {
      came = tell;
      return () => void said.push('unfollowed');
    },
    ...changes,
  };
  const log = { info: () => {}, error: () => {}, warn: (fields: object) => void said.push(JSON.stringify(fields)) };
  const faults = {
    failed: (detail: string) => void said.push(`failed: ${detail}`),
    recovered: () => void said.push('well'),
  };
  const keys = keySet({
    source,
    algorithms: ['ES256'],
    ttl: 10_000,
    cooldown: 1000,
    staleIfError: 5000,
    clock,
    log,
    faults,
  });
  t.teardown(() => keys.close());
  const find = async (kid?: string) => {
    const found = await keys.find('ES256', kid);
    if (found.kind === 'keys') return found.keys.map((key) => key.kid).join();
    return found.kind === 'out' ? `out: ${found.detail}` : found.kind;
  };
  return { clock, said, answers, keys, find, loads: () => loads, came: (fetched: Fetched) => came?.(fetched) };
}

t.test('before the first attempt nothing is known, after it the keys, with their age', async (t) => {
  const { keys, answers, clock, said, find } = open(t);
  t.notOk(keys.tried() || keys.usable() || keys.knows('one'));
  t.equal(keys.ageSeconds(), undefined);
  answers.push({ ...set(one), age: 2000 } as Fetched);
  await keys.start();
  t.ok(keys.tried() && keys.usable() && keys.knows('one'));
  t.notOk(keys.knows('two'));
  clock.advance(1999);
  t.equal(keys.ageSeconds(), 3);
  t.equal(await find('one'), 'one');
  t.notOk(keys.find('ES256', 'one') instanceof Promise, 'at once');
  t.strictSame(said, ['well']);
});

t.test('keys are used for their time and during outages, minus their age on arrival', async (t) => {
  const { keys, answers, clock, find } = open(t);
  answers.push({ ...set(one), age: 2000 } as Fetched);
  await keys.start();
  const found = await keys.find('ES256', 'one');
  const key = found.kind === 'keys' ? found.keys[0] : undefined;
  clock.advance(12_999);
  t.ok(keys.usable() && key && keys.holds(key));
  clock.advance(1);
  t.notOk(keys.usable() || (key && keys.holds(key)));
  t.equal(await find('one'), 'out: gone');
});

t.test('the log says why a set is not used, and after a rejected one the last good one stays', async (t) => {
  const whys: readonly [answer: Fetched | Error, why: string][] = [
    [failed, 'gone'],
    [{ kind: 'json', value: { keys: 'x' } }, 'the answer is not a key set: it has no list `keys` (RFC 7517 §5)'],
    [
      { kind: 'json', value: { keys: Array(101).fill({}) } },
      'the key set has too many keys: 101, and the gateway reads at most 100',
    ],
    [set(), 'no usable key'],
    [set({ kty: 'oct', k: 'AA' }), 'no usable key: secret material is published'],
    [new TypeError('secret'), 'internal: TypeError'],
  ];
  for (const [answer, why] of whys) {
    const { keys, answers, said, find } = open(t);
    answers.push(answer);
    await keys.start();
    t.ok(keys.tried());
    t.notOk(keys.usable());
    t.equal(await find('one'), `out: ${why}`);
    answers.push(set(one), answer);
    await keys.start();
    t.equal(await find('one'), 'one');
    await keys.start();
    t.equal(await find('one'), 'one', why);
    t.strictSame(said, [`failed: ${why}`, 'well', `failed: ${why}`]);
  }
});

t.test('unused keys are logged once for each change of them', async (t) => {
  const { keys, answers, said } = open(t);
  const bad = { kty: 'oct', kid: 'bad' };
  answers.push(set(one, bad), set(one, bad), set(one), set(one));
  for (let n = 0; n < 4; n++) await keys.start();
  const told = said.filter((each) => each !== 'well');
  t.strictSame(told, ['{"refused":[{"kid":"bad","reason":"secret material is published"}]}', '{"refused":[]}']);
});

t.test('a set that arrived unrequested replaces the next fetch, until it is closed', async (t) => {
  const { keys, find, came, said, loads } = open(t);
  came(failed);
  came(set(one));
  while (!keys.usable()) await new Promise(setImmediate);
  t.equal(await find('one'), 'one');
  t.equal(loads(), 0);
  keys.close();
  t.equal(said.at(-1), 'unfollowed');
  came(set(two));
  await new Promise(setImmediate);
  t.notOk(keys.knows('two'));
});

t.test('a fetch that closing interrupted does not count as a fault of the server', async (t) => {
  const { keys, said } = open(t);
  const started = keys.start();
  keys.close();
  await started;
  t.strictSame(said, ['unfollowed']);
});

t.test('without keys a request retries after a second, and requests in between get the last error', async (t) => {
  const { keys, answers, clock, find, loads } = open(t);
  await keys.start();
  t.equal(await find('one'), 'out: gone');
  clock.advance(999);
  t.equal(await find('one'), 'out: gone');
  t.equal(loads(), 1);
  clock.advance(1);
  answers.push(set(one));
  t.strictSame(await Promise.all([find('one'), find('one')]), ['one', 'one']);
  t.equal(loads(), 2);
});

t.test('an unknown name is requested once; a set from before the request does not prove its absence', async (t) => {
  for (const isNewer of [undefined, () => true, () => false]) {
    const { keys, answers, clock, find, loads } = open(t, isNewer && { isNewer });
    answers.push(set(one), set(one), set(one), set(two));
    await keys.start();
    t.equal(await find('two'), 'unknown');
    clock.advance(1000);
    t.equal(await find('two'), 'unknown');
    t.equal(loads(), isNewer?.() === false ? 3 : 2);
  }
});

t.test('a key that is published during a fetch is found by one more fetch, at most once in a cooldown', async (t) => {
  const { keys, answers, find, loads } = open(t);
  answers.push(set(one), set(one), set(one, two), set(one, two));
  await keys.start();
  const older = keys.start();
  t.strictSame(await Promise.all([find('two'), find('two'), find('strange')]), ['two', 'two', 'unknown']);
  await older;
  t.equal(loads(), 3);
  const next = keys.start();
  t.equal(await find('stranger'), 'unknown');
  await next;
  t.equal(loads(), 4, 'a stranger causes no more fetches');
});

t.test('a fetch that began before a question does not prove the absence of the key', async (t) => {
  const { keys, answers, clock, find } = open(t);
  answers.push(set(one), set(one), set(one, two));
  await keys.start();
  t.strictSame(await Promise.all([find('other'), find('two')]), ['unknown', 'unknown']);
  clock.advance(1000);
  t.equal(await find('two'), 'two');
});

t.test('the next fetch comes after the time of the source, and sooner after a failure', async (t) => {
  const { keys, answers, loads, find } = open(t, { every: 150 });
  answers.push(failed, set(one));
  await keys.start();
  t.equal(loads(), 1);
  await new Promise((resolve) => setTimeout(resolve, 220));
  t.equal(loads(), 2);
  t.equal(await find('one'), 'one');
  keys.close();
  await new Promise((resolve) => setTimeout(resolve, 220));
  t.equal(loads(), 2, 'closed');
});

t.test(
  'a set that expires soon after a failure is fetched again, and none of its keys counts as unknown',
  async (t) => {
    const { keys, answers, clock, find } = open(t);
    const aged = (age: number) => ({ ...set(one), age }) as Fetched;
    answers.push(failed, aged(14_900), set(one));
    await keys.start();
    await keys.start();
    t.equal(await find('one'), 'one');
    clock.advance(100);
    t.equal(await find('one'), 'one', 'fetched');
    clock.advance(15_000);
    answers.push(aged(15_000), set(one));
    t.equal(await find('one'), 'out: the key set is stale', 'as it came');
    t.equal(await find('one'), 'one');
  },
);
