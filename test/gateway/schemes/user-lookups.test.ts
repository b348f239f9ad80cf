import t from 'tap';
import { userLookups } from '../../../src/gateway/schemes/user-lookups.ts';
import { StorageUnavailable } from '../../../src/storage/lookup/read.ts';
import { settableClock } from '../../support/settable-clock.ts';

interface User {
  readonly name: string;
}

function open() {
  const clock = settableClock();
  const lookups = userLookups<User>(clock);
  const asked: string[] = [];
  const find = (key: string, answer: () => Promise<User | undefined> = async () => ({ name: key }), who = 'w') =>
    lookups.find(key, { block: who, share: 1 / 16 }, () => {
      asked.push(key);
      return answer();
    });
  return { clock, find, asked };
}

t.test('a result, also an unknown user, is cached for less than a second', async (t) => {
  const { clock, find, asked } = open();
  t.strictSame(await find('alice'), { kind: 'found', user: { name: 'alice' } });
  t.strictSame(await find('bob', async () => undefined), { kind: 'unknown' });
  clock.advance(899);
  t.strictSame(find('alice'), { kind: 'found', user: { name: 'alice' } }, 'without a promise');
  t.strictSame(find('bob'), { kind: 'unknown' });
  t.strictSame(asked, ['alice', 'bob']);
  clock.advance(1);
  t.strictSame(await find('bob'), { kind: 'found', user: { name: 'bob' } });
  t.strictSame(await find('alice', async () => undefined), { kind: 'unknown' });
  t.strictSame(find('bob'), { kind: 'found', user: { name: 'bob' } }, 'the later answer counts');
  t.strictSame(find('alice'), { kind: 'unknown' });
  t.strictSame(asked, ['alice', 'bob', 'bob', 'alice']);
});

t.test('a result is cached from the moment when the query began', async (t) => {
  const { clock, find, asked } = open();
  await find('alice', async () => {
    clock.advance(900);
    return { name: 'alice' };
  });
  await find('alice');
  t.equal(asked.length, 2);
});

t.test('simultaneous queries for the same user get the same answer', async (t) => {
  const { find, asked } = open();
  const [one, other] = await Promise.all([find('alice'), find('alice')]);
  t.strictSame(one, { kind: 'found', user: { name: 'alice' } });
  t.equal(other, one);
  t.equal(asked.length, 1);
});

t.test('an unavailable store is an outage with a wait, and is not cached', async (t) => {
  const { find, asked } = open();
  const out = async () => {
    throw new StorageUnavailable('gone');
  };
  t.strictSame(await find('alice', out), { kind: 'outage', dependency: 'users', retryAfter: 5, detail: 'gone' });
  t.match(await find('alice'), { kind: 'found' });
  t.equal(asked.length, 2);
});

t.test('any other error is a defect, and does not block the next query', async (t) => {
  const { find } = open();
  await t.rejects(async () => find('alice', async () => Promise.reject(new Error('defect'))), { message: 'defect' });
  t.match(await find('alice'), { kind: 'found' });
});

t.test('a client that floods the store waits behind its share of the queue, and others do not', async (t) => {
  const { find } = open();
  const held = Promise.withResolvers<undefined>();
  const all = Array.from({ length: 100 }, (_, n) => find(`u${n}`, () => held.promise, 'flood'));
  const other = find('alice', async () => undefined, 'other');
  const alsoU0 = find('u0', async () => undefined, 'other');
  const alsoU99 = find('u99', async () => undefined, 'other');
  held.resolve(undefined);
  const refused = (await Promise.all(all)).filter(({ kind }) => kind === 'outage');
  t.equal(refused.length, 100 - 64);
  t.strictSame(refused[0], {
    kind: 'outage',
    dependency: 'users',
    retryAfter: 1,
    detail: 'too many user look-ups at this moment',
  });
  for (const each of [other, alsoU0, alsoU99])
    t.match(await each, { kind: 'unknown' }, 'also for a name that the flood was refused');
});

t.test('strangers from any number of addresses leave places for credentials that were right', async (t) => {
  const { find } = userLookups<{ readonly name: string }>(settableClock());
  const held = Promise.withResolvers<undefined>();
  const strangers = Array.from({ length: 2_000 }, (_, n) =>
    find(`u${n}`, { block: `b${n}`, share: 0.5 }, () => held.promise),
  );
  const late = find('late', { block: 'late', share: 0.5 }, async () => ({ name: 'late' }));
  const known = find('known', { block: 'known', share: 0.5, isKnown: true }, async () => ({ name: 'known' }));
  held.resolve(undefined);
  t.match(await known, { kind: 'found', user: { name: 'known' } });
  t.match(await late, { kind: 'outage' });
  await Promise.all(strangers);
});
