import t from 'tap';
import { entityBudget } from '../../../src/gateway/forward/entity-budget.ts';

t.test('bodies that are held to be judged have a bound together, and give back what they took', async (t) => {
  const budget = entityBudget(10);
  t.strictSame([budget.take(6), budget.take(5), budget.take(4), budget.take(1)], [true, false, true, false]);
  budget.give(6);
  t.strictSame([budget.take(7), budget.take(6)], [false, true]);
});
