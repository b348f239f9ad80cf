import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { TurnBudget } from '../../src/jwt/turn-budget.ts';

/** A budget whose turns the test controls. */
function settableBudget() {
  const waiting: (() => void)[] = [];
  const budget = new TurnBudget((begin) => waiting.push(begin));
  const turn = () => {
    for (const begin of waiting.splice(0)) begin();
  };
  return { budget, waiting, turn };
}

t.test('a turn has a millisecond, and no microsecond more', async (t) => {
  const { budget } = settableBudget();
  t.ok(budget.take(500));
  t.ok(budget.take(499));
  t.ok(budget.take(1));
  t.notOk(budget.take(1));
});

t.test('work that does not fit is not begun', async (t) => {
  const { budget } = settableBudget();
  t.notOk(budget.take(1_001));
  t.notOk(budget.take(1), 'nor what comes after it');
});

t.test('each turn has its own millisecond', async (t) => {
  const { budget, turn } = settableBudget();
  for (let count = 0; count < 3; count++) {
    t.ok(budget.take(600));
    t.ok(budget.take(400));
    turn();
  }
});

t.test('after a turn with too much work, threads do everything until a turn has less', async (t) => {
  const { budget, turn } = settableBudget();
  for (let count = 0; count < 2; count++) {
    t.ok(budget.take(1_000));
    t.notOk(budget.take(1));
    turn();
    t.notOk(budget.take(1), 'the flood goes on');
    t.notOk(budget.take(1_000));
    turn();
    t.notOk(budget.take(1));
    t.notOk(budget.take(999), 'a full turn is no flood any more');
    turn();
  }
  t.ok(budget.take(1_000));
});

t.test('a turn is awaited once, and only if work was requested', async (t) => {
  const { budget, turn, waiting } = settableBudget();
  t.equal(waiting.length, 0);
  budget.take(1);
  budget.take(2_000);
  budget.take(1);
  t.equal(waiting.length, 1);
  turn();
  t.equal(waiting.length, 0);
  budget.take(1);
  t.equal(waiting.length, 1, 'again in the next turn');
});

t.test('turns are those of the event loop', async (t) => {
  const budget = new TurnBudget();
  t.ok(budget.take(1_000));
  await nextTurn();
  t.ok(budget.take(1_000));
  await Promise.resolve();
  t.notOk(budget.take(1), 'a microtask is no turn');
});
