import { createHash } from 'node:crypto';
import t from 'tap';
import type { Asker } from '../../../../src/base/bounded-queue.ts';
import { outage } from '../../../../src/base/verdict.ts';
import { parseStoredPassword, type StoredPassword } from '../../../../src/config/files/stored-password.ts';
import type { Throttle } from '../../../../src/counters/throttle.ts';
import { basicScheme } from '../../../../src/gateway/schemes/basic/basic-scheme.ts';
import {
  type BasicUser,
  type BasicUsers,
  basicUsersOfFile,
} from '../../../../src/gateway/schemes/basic/basic-users.ts';
import type { LookupResult } from '../../../../src/gateway/schemes/lookup-result.ts';
import { openPasswordJudge, type PasswordJudge } from '../../../../src/gateway/schemes/password-judge.ts';
import { formatBasic } from '../../../../src/http-auth/basic.ts';
import { settableClock } from '../../../support/settable-clock.ts';
import { headOf } from '../../head.ts';
import { fullAfter, present, throttleOf } from '../presenting.ts';

const real = openPasswordJudge();
t.teardown(() => real.close());

function stored(password: string): StoredPassword {
  const parsed = parseStoredPassword(`{SHA}${createHash('sha1').update(password).digest('base64')}`);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

const settings = { users: 'users', allow_insecure: true, scopes: { alice: 'read' } };

function open(more: { users?: BasicUsers; config?: object; judge?: PasswordJudge['judge']; throttle?: Throttle } = {}) {
  const clock = settableClock();
  const judged: string[] = [];
  const judge: PasswordJudge = {
    judge(kept, password, asker) {
      judged.push(`${password} ${asker?.block}`);
      return (more.judge ?? real.judge)(kept, password, asker);
    },
    close: async () => {},
  };
  const users = more.users ?? basicUsersOfFile(new Map([['alice', stored('wonderland')]]));
  const config = { ...settings, ...more.config };
  const throttle = more.throttle ?? throttleOf(clock);
  const scheme = basicScheme({ config, realm: 'r', users, judge, throttle, share: 1, clock });
  const tell = async (name: string, password: string, address = '192.0.2.1') => {
    const verdict = await scheme.verify(present(formatBasic(name, password), { address }));
    return verdict.kind === 'refused' ? verdict.code : verdict.kind;
  };
  return { clock, judged, scheme, tell };
}

t.test('a right password passes, and is not hashed again within a minute', async (t) => {
  const { scheme, judged, clock, tell } = open();
  const presented = present(formatBasic('alice', 'wonderland'));
  const identity = { scheme: 'basic', issuer: 'basic:r', subject: 'alice', scopes: new Set(['read']) };
  const first = scheme.verify(presented);
  t.ok(first instanceof Promise);
  t.match(await first, { kind: 'verified', identity, cache: 'miss' });
  t.match(scheme.verify(presented), { kind: 'verified', identity, cache: 'hit' }, 'without a promise');
  t.strictSame(judged, ['wonderland 192.0.2.1'], 'for the address of who asks');
  clock.advance(59_999);
  t.match(scheme.verify(presented), { cache: 'hit' });
  clock.advance(1);
  t.match(await scheme.verify(presented), { cache: 'miss' });
  t.equal(await tell('alice', 'wonderlan'), 'password_wrong', 'another password is another credential');
  t.equal(judged.length, 3);
});

t.test('an unknown user costs as much as a known one, and gets the same answer', async (t) => {
  const { tell, judged } = open();
  t.equal(await tell('mallory', 'x'), 'password_wrong');
  t.strictSame(judged, ['x 192.0.2.1']);
  t.equal(await tell('mallory', 'wonderland'), 'password_wrong', 'the password of another user');
  const nobody = open({ users: basicUsersOfFile(new Map()) });
  t.equal(await nobody.tell('alice', 'wonderland'), 'password_wrong', 'where there is nobody');
  t.strictSame(nobody.judged, []);
});

t.test(
  'unknown names are checked with the kinds of hashes that known ones have, in the same proportions',
  async (t) => {
    const kinds: string[] = [];
    const texts = [
      '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=',
      '$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1',
      `$2y$04$${'a'.repeat(53)}`,
    ];
    const users = texts.flatMap((text, kind) => {
      const parsed = parseStoredPassword(text);
      return parsed.ok ? [[`user${kind}`, parsed.value] as const] : [];
    });
    const judge: PasswordJudge['judge'] = async ({ kind }) => {
      kinds.push(kind);
      return 'wrong';
    };
    const { tell } = open({ users: basicUsersOfFile(new Map(users)), judge });
    const judgedAs = async (name: string) => {
      t.equal(await tell(name, 'x', `198.51.100.${kinds.length % 250}`), 'password_wrong');
      return kinds.at(-1) ?? '';
    };
    const known: string[] = [];
    for (const [name] of users) known.push(await judgedAs(name));
    t.strictSame(known, ['sha1', 'apr1', 'bcrypt']);
    const times = new Map<string, number>();
    for (let n = 0; n < 300; n++) {
      const kind = await judgedAs(`unknown-${n}`);
      times.set(kind, (times.get(kind) ?? 0) + 1);
    }
    for (const kind of known) t.ok((times.get(kind) ?? 0) > 60, `${kind}: ${times.get(kind)} of 300`);
    t.equal(kinds.length, 303, 'one hash for each');
  },
);

t.test('after some wrong passwords for a name from an address, no more are checked', async (t) => {
  const { tell, judged } = open();
  for (let n = 0; n < 3; n++) t.equal(await tell('alice', `x${n}`), 'password_wrong');
  t.equal(await tell('alice', 'wonderland'), 'throttled');
  t.equal(judged.length, 3);
  t.equal(await tell('alice', 'wonderland', '198.51.100.1'), 'verified');
  t.equal(await tell('bob', 'x'), 'password_wrong');
});

t.test('unreadable credentials are malformed', async (t) => {
  const { scheme } = open();
  for (const value of ['Basic', 'Basic ?', 'Basic YQ==', 'Bearer a'])
    t.match(scheme.verify(present(value)), { kind: 'refused', code: 'authorization_malformed' }, value);
});

t.test('a password is sent only over TLS or on this machine, unless the file allows it', async (t) => {
  const { scheme } = open({ config: { allow_insecure: false, charset: 'UTF-8' } });
  const { head, ...presented } = present(formatBasic('alice', 'wonderland'));
  const from = (address: string, secure: boolean) => ({ ...head, origin: { ...head.origin, address, secure } });
  const cases: readonly [address: string, secure: boolean, ok: boolean][] = [
    ['192.0.2.1', false, false],
    ['192.0.2.1', true, true],
    ['127.0.0.1', false, true],
  ];
  for (const [address, secure, ok] of cases) {
    const asked = from(address, secure);
    t.strictSame(scheme.challenges(asked, false), ok ? ['Basic realm="r", charset="UTF-8"'] : []);
    const verdict = await scheme.verify({ ...presented, head: asked });
    t.match(verdict, ok ? { kind: 'verified' } : { kind: 'refused', code: 'transport_insecure' }, address);
  }
  t.strictSame(open().scheme.challenges(headOf(), true), ['Basic realm="r"']);
  t.equal(scheme.wantsEntity(headOf(['Content-Length', '9'])), undefined);
  t.equal(scheme.name, 'basic');
});

t.test('the same credentials at the same time are checked once', async (t) => {
  const { tell, judged } = open();
  t.strictSame(await Promise.all([tell('alice', 'wonderland'), tell('alice', 'wonderland')]), ['verified', 'verified']);
  t.equal(judged.length, 1);
  await Promise.all([tell('alice', 'a'), tell('alice', 'b')]);
  t.equal(judged.length, 3);
});

t.test('too many passwords at once are an outage, and do not count as wrong ones', async (t) => {
  const busy = outage('passwords', 2);
  const { scheme, tell } = open({ judge: async () => busy });
  for (let n = 0; n < 5; n++) t.equal(await tell('alice', `x${n}`), 'outage');
  t.same(await scheme.verify(present(formatBasic('alice', 'wonderland'))), busy);
});

/** For a store, where a user may change during caching. */
function changing(now: { answered: LookupResult<BasicUser> }, sync = false): BasicUsers {
  return {
    keyOf: (name) => name.toLowerCase(),
    find: () => (sync ? now.answered : Promise.resolve(now.answered)),
    decoyOf: () => stored('decoy'),
  };
}

t.test('a right password is no longer right after it was changed, or the user was deleted', async (t) => {
  for (const sync of [true, false]) {
    const alice: BasicUser = { username: 'alice', stored: stored('wonderland'), print: '1' };
    const now: { answered: LookupResult<BasicUser> } = { answered: { kind: 'found', user: alice } };
    const { tell, judged } = open({ users: changing(now, sync) });
    t.equal(await tell('Alice', 'wonderland'), 'verified');
    t.equal(await tell('Alice', 'wonderland'), 'verified');
    t.equal(judged.length, 1);
    now.answered = { kind: 'found', user: { ...alice, stored: stored('other'), print: '2' } };
    t.equal(await tell('Alice', 'wonderland'), 'password_wrong');
    t.equal(await tell('Alice', 'other'), 'verified');
    now.answered = { kind: 'unknown' };
    t.equal(await tell('Alice', 'other'), 'password_wrong');
    now.answered = outage('users', 1);
    t.equal(await tell('Alice', 'wonderland'), 'outage', 'before it is known who it is');
    t.equal(await tell('Alice', 'other'), 'outage', 'and of one who is remembered');
  }
});

t.test('guesses with each spelling of a name count for one account', async (t) => {
  const { tell } = open({ users: changing({ answered: { kind: 'unknown' } }) });
  for (const name of ['alice', 'Alice', 'ALICE']) t.equal(await tell(name, 'x'), 'password_wrong');
  t.equal(await tell('aLICE', 'x'), 'throttled');
});

t.test('the right password in a burst of guesses is refused, and not cached as right', async (t) => {
  const { tell, judged } = open({ throttle: fullAfter(1) });
  t.equal(await tell('alice', 'wonderland'), 'throttled', 'others failed while it was judged');
  t.equal(await tell('alice', 'wonderland'), 'throttled');
  t.equal(judged.length, 1, 'nothing is judged above the limit');
});

t.test(
  'a user who was right a moment ago waits in a separate line, strangers in the line of their address',
  async (t) => {
    const alice: BasicUser = { username: 'alice', stored: stored('wonderland'), print: '1' };
    const askers: Asker[] = [];
    const users: BasicUsers = {
      keyOf: (name) => name,
      async find(_name, asker) {
        askers.push(asker);
        return { kind: 'found', user: alice };
      },
      decoyOf: () => stored('decoy'),
    };
    const { tell } = open({ users });
    t.equal(await tell('alice', 'wonderland', '2001:db8:1:2::1'), 'verified');
    t.equal(await tell('alice', 'wonderland', '2001:db8:1:2::1'), 'verified');
    t.equal(await tell('alice', 'x', '2001:db8:1:3::1'), 'password_wrong');
    const [first, again, wrong] = askers;
    t.strictSame([first, wrong], [stranger, stranger], 'a site is one stranger');
    t.match(again, { share: 1, isKnown: true });
    t.match(again?.block, /^[A-Za-z0-9+/]{43}=$/, 'a line by what was sent, which no stranger can');
  },
);

const stranger = { block: '2001:db8:1', share: 1 };
