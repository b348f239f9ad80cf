import t from 'tap';
import { outage, refused } from '../../../src/base/verdict.ts';
import type { Attempt, Throttle } from '../../../src/counters/throttle.ts';
import type { SchemeVerification } from '../../../src/gateway/message/identity.ts';
import { guardLogin } from '../../../src/gateway/schemes/guarded-login.ts';
import { alice } from '../decide/decider.ts';

const wrong = refused('password_wrong');

/** Resolves these waits one after another, and records how many failures were counted. */
function throttle(waits: readonly (number | undefined)[], after: number | undefined, later: boolean) {
  const seen = { attempts: [] as string[], failed: 0 };
  const told: Throttle = {
    attempt(name, address) {
      const attempt: Attempt = {
        retryAfter: waits[seen.attempts.length],
        fail() {
          seen.failed++;
          return later ? Promise.resolve(after) : after;
        },
      };
      seen.attempts.push(`${name} ${address}`);
      return later ? Promise.resolve(attempt) : attempt;
    },
  };
  return { seen, guarded: { throttle: told, name: 'n', address: 'a' } };
}

const both = [false, true];

t.test('a caller over the limit gets no check', async (t) => {
  for (const later of both) {
    const { guarded, seen } = throttle([7], undefined, later);
    const verdict = await guardLogin(guarded, () => t.fail('judged') as never);
    t.strictSame(verdict, { kind: 'throttled', retryAfter: 7 });
    t.strictSame(seen, { attempts: ['n a'], failed: 0 });
  }
});

t.test('a wrong password counts; one too many is reported as a limit, not as wrong', async (t) => {
  for (const later of both)
    for (const slow of both) {
      const judge = () => (slow ? Promise.resolve(wrong) : wrong);
      const first = throttle([undefined], undefined, later);
      t.equal(await guardLogin(first.guarded, judge), wrong);
      t.equal(first.seen.failed, 1);
      const last = throttle([undefined], 9, later);
      t.strictSame(await guardLogin(last.guarded, judge), { kind: 'throttled', retryAfter: 9 });
    }
});

t.test('only a wrong password counts', async (t) => {
  const others: readonly SchemeVerification[] = [
    refused('nonce_stale'),
    outage('passwords', 2),
    { kind: 'throttled', retryAfter: 1 },
  ];
  for (const other of others)
    for (const slow of both) {
      const { guarded, seen } = throttle([undefined, undefined], 9, false);
      t.equal(await guardLogin(guarded, () => (slow ? Promise.resolve(other) : other)), other);
      t.equal(seen.failed, 0);
    }
});

t.test('in memory the whole is as synchronous as the check', async (t) => {
  const { guarded } = throttle([undefined], undefined, false);
  t.equal(
    guardLogin(guarded, () => wrong),
    wrong,
  );
});

t.test(
  'a right password that took time checks the limit again, because parallel guesses may have used up the attempts',
  async (t) => {
    const right: SchemeVerification = { kind: 'verified', identity: alice, cache: 'miss' };
    for (const later of both) {
      const { guarded, seen } = throttle([undefined, 4], undefined, later);
      t.strictSame(await guardLogin(guarded, async () => right), { kind: 'throttled', retryAfter: 4 });
      t.equal(seen.attempts.length, 2);
      t.equal(await guardLogin(throttle([undefined, undefined], 1, later).guarded, async () => right), right);
    }
    const out = throttle([undefined, 4], undefined, false);
    t.match(await guardLogin(out.guarded, async () => outage('users', 1)), { kind: 'outage' });
    t.equal(out.seen.attempts.length, 1, 'an outage is told at once');
  },
);
