import t from 'tap';
import { formatPasswordHash } from '../../../src/base/password-hash.ts';
import { parseStoredPassword, type StoredPassword } from '../../../src/config/files/stored-password.ts';
import { DecoyHashes } from '../../../src/gateway/schemes/decoys.ts';
import { storedDecoys } from '../../../src/gateway/schemes/stored-decoys.ts';
import { StorageUnavailable } from '../../../src/storage/lookup/read.ts';
import { settableClock } from '../../support/settable-clock.ts';

function stored(text: string): StoredPassword {
  const parsed = parseStoredPassword(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

const argon2 = (passes: number, fill = 0) =>
  formatPasswordHash({ memory: 64, passes, lanes: 1, salt: Buffer.alloc(16, fill), hash: Buffer.alloc(32, fill) });
const bcrypt = (rounds: string) => `$2y$${rounds}$${'a'.repeat(53)}`;
const apr1 = '$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1';
const sha1 = '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=';
const names = Array.from({ length: 400 }, (_, index) => `name-${index}`);

t.test('unknown names are checked with each cost that occurs in a file, and with no other', async (t) => {
  const kinds = [argon2(1), argon2(2), bcrypt('04'), bcrypt('05'), apr1, sha1].map(stored);
  const decoys = new DecoyHashes([...kinds, stored(argon2(1, 7))]);
  const chosen = names.map((name) => decoys.of(name));
  t.strictSame(new Set(chosen), new Set(kinds));
  t.strictSame(
    names.map((name) => decoys.of(name)),
    chosen,
    'the same each time',
  );
  const twice = chosen.filter((each) => each === kinds[0]).length / names.length;
  t.ok(Math.abs(twice - 2 / 7) < 0.1, `as often as it occurs: ${twice}`);
});

t.test('every process with the same users chooses the same costs, whatever their order', async (t) => {
  const users = [argon2(1), bcrypt('04'), apr1].map(stored);
  const [one, other] = [new DecoyHashes(users), new DecoyHashes(users.toReversed())];
  for (const name of names) t.equal(other.of(name), one.of(name));
  const elsewhere = new DecoyHashes([argon2(1), bcrypt('04').replace('aaa', 'bbb'), apr1].map(stored));
  t.ok(
    names.some((name) => elsewhere.of(name)?.kind !== one.of(name)?.kind),
    'strangers cannot compute it',
  );
});

t.test('for each kind with a secret, the secret decides the choice, so strangers cannot compute it', async (t) => {
  const salted = (fill: number) =>
    `{SSHA}${Buffer.concat([Buffer.alloc(20, 1), Buffer.alloc(8, fill)]).toString('base64')}`;
  const changed: readonly (readonly [kind: string, one: string, other: string, beside: string])[] = [
    ['argon2id', argon2(1), argon2(1, 7), argon2(2, 9)],
    ['bcrypt', bcrypt('04'), bcrypt('04').replace('aaa', '...'), bcrypt('05')],
    ['apr1, its salt', apr1, apr1.replace('thTWWBSm', 'thTWWBSn'), sha1],
    ['apr1, its digest', apr1, apr1.replace('U.yohj', 'U.yohk'), sha1],
    ['salted SHA-1', salted(0), salted(2), apr1],
  ];
  for (const [kind, one, other, beside] of changed) {
    const costs = (first: string) => {
      const decoys = new DecoyHashes([stored(first), stored(beside)]);
      return names.map((name) => JSON.stringify(decoys.of(name)) === JSON.stringify(stored(beside)));
    };
    t.strictSame(costs(one), costs(one), kind);
    t.notSame(costs(one), costs(other), kind);
  }
});

t.test('repeated successful look-ups of one user do not change the costs for strangers', async (t) => {
  const decoys = new DecoyHashes([stored(sha1), stored(apr1)]);
  const before = names.map((name) => decoys.of(name));
  for (let n = 0; n < 100; n++) decoys.met(stored(sha1));
  t.strictSame(
    names.map((name) => decoys.of(name)),
    before,
  );
});

t.test('without users nothing is checked', async (t) => {
  t.equal(new DecoyHashes([]).of('alice'), undefined);
});

const kindsOf = (decoys: { of(name: string): StoredPassword | undefined }) =>
  [...new Set(names.map((name) => decoys.of(name)?.kind))].sort();

const silent = { failed: () => {}, recovered: () => {} };

t.test('for a store the costs are those of its users, read again after a minute', async (t) => {
  const clock = settableClock();
  const kept = [sha1, 'plain'];
  const decoys = storedDecoys(async () => kept, { clock, faults: silent });
  t.match(decoys.of('alice'), { kind: 'argon2id', cost: { memory: 19_456, passes: 2, lanes: 1 } }, 'not yet known');
  await decoys.refresh();
  t.strictSame(kindsOf(decoys), ['sha1']);
  kept.push(apr1);
  t.strictSame(kindsOf(decoys), ['sha1']);
  decoys.met(bcrypt('04'));
  t.strictSame(kindsOf(decoys), ['bcrypt', 'sha1'], 'a user who was found has it');
  clock.advance(60_001);
  decoys.of('alice');
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(kindsOf(decoys), ['apr1', 'sha1']);
});

t.test('a store that is empty or unavailable has the cost of an account that is added today', async (t) => {
  const out = async () => Promise.reject(new StorageUnavailable('gone'));
  for (const sample of [async () => [], out]) {
    const decoys = storedDecoys(sample, { clock: settableClock(), faults: silent });
    await decoys.refresh();
    t.match(decoys.of('alice'), { kind: 'argon2id', cost: { memory: 19_456, passes: 2, lanes: 1 } });
  }
});

t.test('a failed read of a store never rejects, and the costs do not change', async (t) => {
  const failures = [
    async () => Promise.reject(new StorageUnavailable('gone')),
    async () => Promise.reject(new TypeError('a row that nobody understands')),
    () => {
      throw new RangeError('at once');
    },
  ];
  for (const failure of failures) {
    const clock = settableClock();
    let sample: () => Promise<readonly string[]> = async () => [sha1];
    const told: string[] = [];
    const faults = { failed: (detail: string) => void told.push(detail), recovered: () => void told.push('well') };
    const decoys = storedDecoys(() => sample(), { clock, faults });
    await decoys.refresh();
    sample = failure;
    await decoys.refresh();
    clock.advance(60_001);
    // an unhandled rejection would end this process
    decoys.of('alice');
    await new Promise((resolve) => setImmediate(resolve));
    t.strictSame(kindsOf(decoys), ['sha1']);
    sample = async () => [apr1];
    await decoys.refresh();
    t.strictSame(kindsOf(decoys), ['apr1']);
    const name = [[], ['internal: TypeError'], ['internal: RangeError']][failures.indexOf(failure)] ?? [];
    t.strictSame(told, ['well', ...name, ...name, 'well']);
  }
});
