import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { buildBoundedQueue } from '../../src/base/bounded-queue.ts';
import { currentCost, formatPasswordHash, type PasswordCost, parsePasswordHash } from '../../src/base/password-hash.ts';
import { buildPasswords } from '../../src/base/passwords.ts';
import { computed } from '../support/computed.ts';

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

t.test('hashes of the reference implementation verify, and weak ones must be replaced', async (t) => {
  const passwords = buildPasswords();
  for (const [password, phc, needsRehash] of foreign) {
    t.strictSame(await passwords.verify(phc, password), { kind: 'matches', needsRehash }, phc);
    t.match(await passwords.verify(phc, `${password} `), { kind: 'refused', code: 'wrong_password' });
  }
});

t.test('a hash has the current cost and a salt of its own', async (t) => {
  const [one, other] = [await hashOf('wonderland'), await hashOf('wonderland')];
  t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.not(one, other);
  t.strictSame(await buildPasswords().verify(one, 'wonderland'), { kind: 'matches', needsRehash: false });
});

t.test('different encodings of one password are the same password', async (t) => {
  const phc = await hashOf('pa\u0308ss\u00a0word', { cost: cheap });
  t.match(await buildPasswords().verify(phc, 'p\u00e4ss word'), { kind: 'matches' });
});

t.test('a password that cannot be hashed is refused like a wrong one, and never throws', async (t) => {
  const passwords = buildPasswords({ cost: cheap });
  const phc = await hashOf('\0', { cost: cheap });
  t.equal(phc, 'unfit');
  const known = await hashOf('wonderland', { cost: cheap });
  for (const password of ['', '\0', 'x'.repeat(2000), '\ud800'])
    t.match(await passwords.verify(known, password), { kind: 'refused', code: 'wrong_password' });
});

t.test('a stored text that is not a hash accepts no password, and is logged', async (t) => {
  const passwords = buildPasswords({ cost: cheap });
  for (const stored of ['', 'wonderland', '$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA'])
    t.match(await passwords.verify(stored, 'wonderland'), { kind: 'refused', code: 'unusable_hash', detail: /./ });
});

t.test('an unknown user is refused after the work of a known one, or after the given work', async (t) => {
  const ran: unknown[] = [];
  const passwords = buildPasswords({
    cost: cheap,
    ran: ({ memory, passes, lanes }) => ran.push([memory, passes, lanes]),
  });
  const known = await hashOf('wonderland', { cost: { memory: 128, passes: 3, lanes: 2 } });
  const decoy = { memory: 128, passes: 3, lanes: 2 };
  for (const [stored, told] of [
    [known, {}],
    [undefined, { decoy }],
    ['no hash', { decoy }],
    [undefined, {}],
  ] as const)
    t.match(await passwords.verify(stored, 'looking-glass', told), { kind: 'refused' });
  t.strictSame(ran, [
    [128, 3, 2],
    [128, 3, 2],
    [128, 3, 2],
    [64, 1, 1],
  ]);
});

t.test(
  'an unknown user is refused with as many hashes and comparisons as a known one, each of the same cost',
  async (t) => {
    const list = computed(t);
    const ran = ({ memory, passes, lanes }: PasswordCost) => list.push(`m=${memory},t=${passes},p=${lanes}`);
    const passwords = buildPasswords({ ran });
    const known = await hashOf('wonderland');
    const spent = async (stored: string | undefined) => {
      t.match(await passwords.verify(stored, 'looking-glass'), { kind: 'refused', code: 'wrong_password' });
      return list.splice(0);
    };
    list.splice(0);
    t.strictSame(await spent(known), ['m=19456,t=2,p=1', 'comparison of 32']);
    t.strictSame(await spent(undefined), ['m=19456,t=2,p=1', 'comparison of 32']);
  },
);

t.test('the hash for unknown users accepts no password', async (t) => {
  const passwords = buildPasswords({ cost: cheap });
  for (const password of ['', '\0', 'wonderland'])
    t.equal((await passwords.verify(undefined, password)).kind, 'refused');
});

t.test('more checks than may wait are an outage immediately, and the others finish', async (t) => {
  const passwords = buildPasswords({ cost: cheap, queue: buildBoundedQueue({ atOnce: 1, waiting: 2 }) });
  const phc = await hashOf('wonderland', { cost: cheap });
  const answers = await Promise.all(Array.from({ length: 5 }, () => passwords.verify(phc, 'wonderland')));
  t.strictSame(
    answers.map(({ kind }) => kind),
    ['matches', 'matches', 'matches', 'outage', 'outage'],
  );
  t.match(answers[4], { dependency: 'passwords', retryAfter: 2 });
  t.equal((await passwords.verify(phc, 'wonderland')).kind, 'matches', 'and later there is room again');
});

t.test('the event loop keeps running while a password is checked', async (t) => {
  const passwords = buildPasswords({ cost: { memory: 65_536, passes: 3, lanes: 1 } });
  let isDone = false;
  const judged = passwords.verify(undefined, 'wonderland').finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone && turns < 100_000; turns++) await turn();
  await judged;
  t.ok(turns > 10, `${turns} turns`);
});

t.test('a hash with the current cost is read with the current cost', async (t) => {
  const parsed = parsePasswordHash(
    formatPasswordHash({ ...currentCost, salt: Buffer.alloc(16), hash: Buffer.alloc(32) }),
  );
  t.match(parsed, { ok: true, value: currentCost });
});
