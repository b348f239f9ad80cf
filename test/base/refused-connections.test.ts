import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { RefusedConnections } from '../../src/base/refused-connections.ts';
import { until } from '../support/until.ts';

function counting(every: number) {
  const lines: string[] = [];
  const refused = new RefusedConnections(
    { warn: (_facts: unknown, words?: unknown) => void lines.push(String(words)) },
    every,
  );
  const refuse = (count: number, listener = 'listen') => {
    for (let each = 0; each < count; each++) refused.refuse(listener, () => 'the limit (5) is reached');
  };
  return { lines, refused, refuse };
}

t.test('a listener has one line at its first refusal, and the next line counts the refusals since then', async (t) => {
  const { lines, refuse } = counting(30);
  refuse(4);
  t.strictSame(lines, ['refused 1 connection: the limit (5) is reached']);
  t.ok(await until(() => lines.length > 1));
  t.equal(lines[1], 'refused 3 connections: the limit (5) is reached');
});

t.test('within a minute, further refusals have no line, but all of them are counted', async (t) => {
  const { lines, refused, refuse } = counting(60_000);
  refuse(1_000);
  refuse(2, 'decision');
  t.equal(lines.length, 2);
  t.strictSame(
    [...refused.counts()],
    [
      ['listen', 1_000],
      ['decision', 2],
    ],
  );
});

t.test('without further refusals, no line follows, and the next refusal has its line at once', async (t) => {
  const { lines, refuse } = counting(10);
  refuse(1);
  await pause(60);
  t.equal(lines.length, 1);
  refuse(1);
  t.equal(lines.length, 2);
});
