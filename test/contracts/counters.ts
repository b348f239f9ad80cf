import type { Test } from 'tap';
import { type Counters, PARTS } from '../../src/counters/counters.ts';

export interface Implementation {
  /** Counters that have started and have not counted yet; closed after the test. */
  readonly open: (t: Test) => Promise<Counters>;
  /** Lets so many milliseconds pass for them. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** For `t.test`. */
  readonly skip?: false | string;
}

/** Long enough that a slow machine does not end it between two calls, and short enough to wait for. */
const window = 3_000;
const most = window + window / PARTS;

/** What every implementation of Counters guarantees. */
export function countersContract(t: Test, name: string, { open, pass, skip = false }: Implementation): void {
  for (const [title, rule] of rules) t.test(`${name}: ${title}`, { skip }, async (t) => rule(t, await open(t), pass));
}

type Rule = (t: Test, counters: Counters, pass: Implementation['pass']) => Promise<void>;

async function takeAll(counters: Counters, key: string, requests: number, times: number): Promise<readonly number[]> {
  const waits: number[] = [];
  for (let time = 0; time < times; time++) waits.push(await counters.take(key, { requests, window }));
  return waits;
}

const rules: readonly (readonly [title: string, rule: Rule])[] = [
  [
    'as many as the window allows pass, and the next gets a wait',
    async (t, counters) => {
      const [one, two, three = 0] = await takeAll(counters, 'a', 2, 3);
      t.strictSame([one, two], [0, 0]);
      t.ok(three > window / 2 && three <= window, `${three}: never longer than the window`);
    },
  ],
  [
    'a caller that waits as long as it was told passes, and not sooner',
    async (t, counters, pass) => {
      await takeAll(counters, 'a', 2, 2);
      await pass(window / 2);
      t.ok((await counters.take('a', { requests: 2, window })) > 0);
      await pass(await counters.take('a', { requests: 2, window }));
      t.equal(await counters.take('a', { requests: 2, window }), 0);
    },
  ],
  [
    'a refused call is not counted',
    async (t, counters, pass) => {
      await takeAll(counters, 'a', 2, 2);
      await takeAll(counters, 'a', 2, 20);
      await pass(most);
      t.strictSame(await takeAll(counters, 'a', 2, 2), [0, 0]);
    },
  ],
  [
    'the border between windows allows no additional calls',
    async (t, counters, pass) => {
      await pass((2 * window - (Date.now() % window) - window / 4) % window);
      const before = await takeAll(counters, 'a', 4, 4);
      await pass(window / 2);
      const after = await takeAll(counters, 'a', 4, 4);
      t.strictSame(before, [0, 0, 0, 0]);
      t.equal(after.filter((wait) => wait === 0).length, 0);
    },
  ],
  [
    'keys and windows are counted separately',
    async (t, counters) => {
      await takeAll(counters, 'a', 1, 1);
      t.equal(await counters.take('b', { requests: 1, window }), 0);
      t.equal(await counters.take('a', { requests: 1, window: window * 2 }), 0);
      t.ok((await counters.take('a', { requests: 1, window })) > 0);
    },
  ],
  [
    'a key that failed still counts when its window is changed, and keeps its end',
    async (t, counters) => {
      await counters.fail('a', most);
      const { endsIn } = await counters.fail('a', window);
      const third = await counters.fail('a', window);
      t.equal(third.count, 3);
      t.ok(third.endsIn <= endsIn && endsIn > 0, `${endsIn}, then ${third.endsIn}`);
      t.equal((await counters.failures('a')).count, 3);
    },
  ],
  [
    'a raised or lowered limit keeps the count',
    async (t, counters) => {
      await takeAll(counters, 'a', 2, 2);
      t.equal(await counters.take('a', { requests: 3, window }), 0);
      t.ok((await counters.take('a', { requests: 1, window })) > 0);
    },
  ],
  [
    'of many calls at once exactly the limit passes',
    async (t, counters) => {
      const waits = await Promise.all(Array.from({ length: 200 }, () => counters.take('a', { requests: 50, window })));
      t.equal(waits.filter((wait) => wait === 0).length, 50);
    },
  ],
  [
    'long and strange keys are ordinary keys',
    async (t, counters) => {
      for (const key of ['', ' ', '\0', 'é'.repeat(9), 'x'.repeat(100_000), `${'x'.repeat(99_999)}y`])
        t.strictSame(
          (await takeAll(counters, key, 1, 2)).map((wait) => wait === 0),
          [true, false],
          key.slice(0, 20),
        );
    },
  ],
  [
    'failures are counted from the first one, and forgotten together',
    async (t, counters, pass) => {
      t.strictSame(await counters.failures('a'), { count: 0, endsIn: 0 });
      t.equal((await counters.fail('a', window)).count, 1);
      await pass(window / 2);
      const second = await counters.fail('a', window);
      t.equal(second.count, 2);
      t.ok(second.endsIn <= window / 2, String(second.endsIn));
      t.equal((await counters.failures('a')).count, 2);
      await pass(window / 2);
      t.strictSame(await counters.failures('a'), { count: 0, endsIn: 0 });
      t.equal((await counters.fail('a', window)).count, 1);
    },
  ],
  [
    'failures of one key count neither for another key nor as requests',
    async (t, counters) => {
      await counters.fail('a', window);
      t.equal((await counters.failures('b')).count, 0);
      t.equal(await counters.take('a', { requests: 1, window }), 0);
      t.equal((await counters.failures('a')).count, 1);
    },
  ],
];
