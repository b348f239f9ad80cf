import t from 'tap';
import { entityBudget } from '../../../src/gateway/client/entity-budget.ts';

const ONE = '192.0.2.1';
const OTHER = '192.0.2.2';

t.test('all buffered bodies share one limit, and give back what they used', async (t) => {
  const budget = entityBudget(10);
  const [one, other] = [budget.open(ONE, 1), budget.open(OTHER, 1)];
  t.strictSame([one.take(6), other.take(5), other.take(4), one.take(1)], [true, false, true, false]);
  t.equal(budget.held, 10);
  one.end();
  one.end();
  t.equal(budget.held, 4);
  t.strictSame([other.take(7), other.take(6)], [false, true]);
});

t.test('all bodies of one address share its part, and another address has the rest', async (t) => {
  const budget = entityBudget(10);
  const [first, second, other] = [budget.open(ONE, 0.5), budget.open(ONE, 0.5), budget.open(OTHER, 0.5)];
  t.strictSame([first.take(3), second.take(3), second.take(2), first.take(1)], [true, false, true, false]);
  t.strictSame([other.take(5), other.take(1)], [true, false]);
  first.end();
  t.strictSame([second.take(3), other.take(1)], [true, false]);
});

t.test('a /64 of IPv6 counts as one address', async (t) => {
  const budget = entityBudget(10);
  t.ok(budget.open('2001:db8::1', 0.5).take(5));
  t.notOk(budget.open('2001:db8::ffff:1', 0.5).take(1));
  t.ok(budget.open('2001:db8:0:1::1', 0.5).take(5));
});

t.test('bodies that need not be buffered leave half for bodies that must be', async (t) => {
  const budget = entityBudget(10);
  const [one, other] = [budget.open(ONE, 1), budget.open(OTHER, 1)];
  t.strictSame([one.spare(6), one.spare(5), other.spare(1), other.take(5)], [false, true, false, true]);
});

t.test('an address is reported to use all of its share only if that is why there is no memory for it', async (t) => {
  const budget = entityBudget(10);
  const told: string[] = [];
  const open = (address: string) => budget.open(address, 0.5, () => void told.push(address));
  const [one, other, innocent] = [open('192.0.2.1'), open('192.0.2.2'), open('192.0.2.3')];
  t.strictSame([one.take(5), other.take(5), innocent.take(1)], [true, true, false]);
  t.strictSame(told, []);
  t.notOk(one.take(1));
  t.strictSame(told, ['192.0.2.1']);
});
