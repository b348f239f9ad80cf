import t from 'tap';
import { buildPasswords } from '../../../src/base/passwords.ts';
import { parseStoredPassword, type StoredPassword } from '../../../src/config/files/stored-password.ts';
import { openPasswordJudge } from '../../../src/gateway/schemes/password-judge.ts';

const judge = openPasswordJudge();
t.teardown(() => judge.close());

function stored(text: string): StoredPassword {
  const parsed = parseStoredPassword(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

const cheap = buildPasswords({ cost: { memory: 64, passes: 1, lanes: 1 } });

/** As `htpasswd -nbB`, `htpasswd -nbm` and `htpasswd -nbs` of Apache 2.4 wrote them; {SSHA} as in RFC 2307. */
const written: readonly (readonly [hash: string, password: string])[] = [
  ['$2y$04$w5s7lWpzVb9tkOeyLtaBvO8LjABaBXPKPsT9eD./3Q.0U86KvhkH.', 'Circle of Life'],
  ['$2y$05$cyCjGTmP/PbdAR6YfS2VHeYtMnbCN0Ou2kC9j0pqXGCpirYu2jHFm', '£ügel'],
  ['$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1', 'Circle of Life'],
  ['$apr1$3kA34sJH$OcSKl5/gHvFCs916S47di1', 'x'],
  ['$apr1$Wef8TsjD$hTBgpDgRoJhYMOJJMAV8O/', 'a password that is longer than sixteen octets, by far'],
  ['$apr1$1eRiDY0v$/IvyDV.2PFgWsnf9QDhlV1', '£ügel'],
  ['{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=', 'Circle of Life'],
  ['{SSHA}rX8b2vFogKL1wNbc4l4ZHFpUYS8BAgMEBQYHCA==', 'Circle of Life'],
];

t.test('hashes of other tools are checked as those tools would', async (t) => {
  for (const [hash, password] of written) {
    t.equal(await judge.judge(stored(hash), password), 'right', hash);
    for (const wrong of ['', `${password} `, password.slice(1), password.toUpperCase().replace('£', 'x')])
      t.equal(await judge.judge(stored(hash), wrong), wrong === password ? 'right' : 'wrong', `${hash} ${wrong}`);
  }
});

t.test('the same for Argon2id', async (t) => {
  const hashed = await cheap.hash('wonderland');
  const phc = hashed.kind === 'hashed' ? hashed.phc : '';
  t.equal(await judge.judge(stored(phc), 'wonderland'), 'right');
  t.equal(await judge.judge(stored(phc), 'wonderlan'), 'wrong');
});

t.test('more checks than the queue holds are an outage, and no right password is reported as wrong', async (t) => {
  const [hash, password] = written[0] as readonly [string, string];
  const all = await Promise.all(Array.from({ length: 200 }, () => judge.judge(stored(hash), password)));
  t.equal(all.filter((each) => each === 'wrong').length, 0);
  t.ok(all.filter((each) => each === 'right').length >= 65);
  t.match(
    all.find((each) => typeof each === 'object'),
    { kind: 'outage', dependency: 'passwords', retryAfter: 2 },
  );
});
