import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { currentCost, formatPasswordHash, parsePasswordHash } from '../../src/base/password-hash.ts';
import { buildPasswords } from '../../src/base/passwords.ts';
import { holdsOnce } from '../faults/support/rounds.ts';

const cheap = { memory: 64, passes: 1, lanes: 1 };

/** Made by argon2-cffi 25.1.0, the reference implementation's binding for Python. */
const foreign = [
  [
    'wonderland',
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$xBhdjUbcYAAGLzsNfm8SIJVWCtbUyXkwUBCSpn2PDZ8',
    false,
  ],
  [
    'correct horse battery staple',
    '$argon2id$v=19$m=65536,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$77UfmnZYT23WpPeUKhovauWm5OxRQv9nTf1dJ+tF5EY',
    false,
  ],
  ['p\u00e4ssw\u00f6rd \u2713', '$argon2id$v=19$m=64,t=1,p=2$c2FsdHNhbHQ$L7v/NVvPQ+cmsYkxnF7hGg', true],
  [
    'x',
    '$argon2id$v=19$m=7168,t=4,p=1$c29tZXNhbHRzb21lc2FsdA$+tFzoW6sNFEjBDjlwfbpNMvNiT8JTbkr7vzbtmVA/vtelQ/GBrZMHrqaeSELCjV5U9r1FC0Qj8t5aKz/AhqskA',
    true,
  ],
] as const;

async function hashOf(password: string, options = {}): Promise<string> {
  const hashed = await buildPasswords(options).hash(password);
  return hashed.kind === 'hashed' ? hashed.phc : hashed.kind;
}

t.test('hashes of the reference implementation are verified, and weak ones are to be made anew', async (t) => {
  const passwords = buildPasswords();
  for (const [password, phc, needsRehash] of foreign) {
    t.strictSame(await passwords.verify(phc, password), { kind: 'matches', needsRehash }, phc);
    t.match(await passwords.verify(phc, `${password} `), { kind: 'refused', code: 'wrong_password' });
  }
});

t.test('a hash has the cost of today and a salt of its own', async (t) => {
  const [one, other] = [await hashOf('wonderland'), await hashOf('wonderland')];
  t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.not(one, other);
  t.strictSame(await buildPasswords().verify(one, 'wonderland'), { kind: 'matches', needsRehash: false });
});

t.test('one password is one password, however it is typed', async (t) => {
  const phc = await hashOf('pa\u0308ss\u00a0word', { cost: cheap });
  t.match(await buildPasswords().verify(phc, 'p\u00e4ss word'), { kind: 'matches' });
});

t.test('a password that cannot be hashed is refused as a wrong one, and never a throw', async (t) => {
  const passwords = buildPasswords({ cost: cheap });
  const phc = await hashOf('\0', { cost: cheap });
  t.equal(phc, 'unfit');
  const known = await hashOf('wonderland', { cost: cheap });
  for (const password of ['', '\0', 'x'.repeat(2000), '\ud800'])
    t.match(await passwords.verify(known, password), { kind: 'refused', code: 'wrong_password' });
});

t.test('a stored text that is no hash opens nothing, and says so to the log', async (t) => {
  const passwords = buildPasswords({ cost: cheap });
  for (const stored of ['', 'wonderland', '$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA'])
    t.match(await passwords.verify(stored, 'wonderland'), { kind: 'refused', code: 'unusable_hash', detail: /./ });
});

t.test('an unknown user is refused after the work of a known one', async (t) => {
  const cost = { memory: 8192, passes: 2, lanes: 1 };
  const passwords = buildPasswords({ cost });
  const known = await hashOf('wonderland', { cost });
  const quickest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  await holdsOnce(t, 'the same time', async () => {
    for (let turns = 0; turns < 15; turns++) {
      for (const [kind, stored] of [
        ['known', known],
        ['unknown', undefined],
      ] as const) {
        const before = performance.now();
        t.match(await passwords.verify(stored, 'looking-glass'), { kind: 'refused', code: 'wrong_password' });
        quickest[kind] = Math.min(quickest[kind], performance.now() - before);
      }
    }
    const held = Math.abs(quickest.known - quickest.unknown) < quickest.known / 2;
    return { held, met: `${quickest.known} and ${quickest.unknown} ms` };
  });
});

t.test('nobody is let in by the hash that stands for nobody', async (t) => {
  const passwords = buildPasswords({ cost: cheap });
  for (const password of ['', '\0', 'wonderland'])
    t.equal((await passwords.verify(undefined, password)).kind, 'refused');
});

t.test('more than may wait is an outage, at once, and the rest are judged', async (t) => {
  const passwords = buildPasswords({ cost: cheap, atOnce: 1, waiting: 2 });
  const phc = await hashOf('wonderland', { cost: cheap });
  const answers = await Promise.all(Array.from({ length: 5 }, () => passwords.verify(phc, 'wonderland')));
  t.strictSame(
    answers.map(({ kind }) => kind),
    ['matches', 'matches', 'matches', 'outage', 'outage'],
  );
  t.match(answers[4], { dependency: 'passwords', retryAfter: 2 });
  t.equal((await passwords.verify(phc, 'wonderland')).kind, 'matches', 'and later there is room again');
});

t.test('while a password is judged the event loop goes on', async (t) => {
  const passwords = buildPasswords({ cost: { memory: 65_536, passes: 3, lanes: 1 } });
  let isDone = false;
  const judged = passwords.verify(undefined, 'wonderland').finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone && turns < 100_000; turns++) await turn();
  await judged;
  t.ok(turns > 10, `${turns} turns`);
});

t.test('what is written with the cost of today is read with the cost of today', async (t) => {
  const parsed = parsePasswordHash(
    formatPasswordHash({ ...currentCost, salt: Buffer.alloc(16), hash: Buffer.alloc(32) }),
  );
  t.match(parsed, { ok: true, value: currentCost });
});
