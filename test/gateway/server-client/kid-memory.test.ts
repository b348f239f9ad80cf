import t from 'tap';
import { kidMemory } from '../../../src/gateway/server-client/kid-memory.ts';
import { keyRing } from '../../../src/jwt/key-ring.ts';
import type { VerificationKey } from '../../../src/jwt/keys.ts';
import { heldClock } from '../issuer.ts';

const ringOf = (...kids: (string | undefined)[]) =>
  keyRing(kids.map((kid, index) => ({ alg: 'ES256', kid, id: `${index}` }) as VerificationKey));

const open = () => {
  const clock = heldClock();
  return { clock, memory: kidMemory(1000, clock) };
};
const ring = ringOf('one');

t.test('an unknown kid allows one fetch in a cooldown', async (t) => {
  const { clock, memory } = open();
  t.ok(memory.mayAsk('two', ring, false));
  t.notOk(memory.mayAsk('three', ring, false));
  t.ok(memory.mayAsk('three', ring, true), 'whoever comes while one is under way joins it');
  clock.advance(999);
  t.notOk(memory.mayAsk('three', ring, false));
  clock.advance(1);
  t.ok(memory.mayAsk('three', ring, false));
});

t.test('a known kid needs no fetch, and neither does a token without one', async (t) => {
  const { memory } = open();
  t.notOk(memory.mayAsk('one', ring, false));
  t.notOk(memory.mayAsk('one', ring, true));
  t.ok(memory.mayAsk(undefined, ringOf(undefined), false));
});

t.test('a kid that the server did not have is not requested again for six cooldowns', async (t) => {
  const { clock, memory } = open();
  memory.remember('two');
  memory.remember(undefined);
  for (const underWay of [false, true]) {
    t.notOk(memory.mayAsk('two', ring, underWay));
    t.notOk(memory.mayAsk(undefined, ring, underWay));
  }
  clock.advance(5999);
  t.notOk(memory.mayAsk('two', ring, false));
  clock.advance(1);
  t.ok(memory.mayAsk('two', ring, false));
  t.ok(open().memory.mayAsk('two', ring, false));
});

t.test('a kid in an unusual form needs no fetch, unless this server has such kids', async (t) => {
  const odd = ['a b', '../../x', 'https://x', "' OR 1", 'a\n', 'x'.repeat(257), 'é'];
  for (const kid of odd) {
    t.notOk(open().memory.mayAsk(kid, ring, true), kid);
    t.ok(open().memory.mayAsk(kid, ringOf('a//b'), false), kid);
    t.notOk(open().memory.mayAsk(kid, ringOf(undefined), false), kid);
  }
  for (const kid of ['x'.repeat(256), 'Aa0_.~+/=:@#-', 'a/b', 'a.b']) t.ok(open().memory.mayAsk(kid, ring, false), kid);
});
