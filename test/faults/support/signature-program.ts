import { isMainThread } from 'node:worker_threads';
import { TurnBudget } from '../../../src/jwt/turn-budget.ts';

// For `node --import`, with SIGNATURES=budget, threads or loop: verifies signatures on the event loop within a budget,
// only on threads, or on the event loop without a limit. On SIGUSR2 it prints how many were verified in each place
// since the start.

const { take } = TurnBudget.prototype;
const takes: Readonly<Record<string, typeof take>> = {
  budget: take,
  threads: () => false,
  loop: () => true,
};
const counted = { loop: 0, thread: 0 };

const chosen = takes[process.env.SIGNATURES ?? ''];
if (isMainThread && chosen !== undefined) {
  TurnBudget.prototype.take = function count(this: TurnBudget, microseconds: number) {
    const isTaken = chosen.call(this, microseconds);
    counted[isTaken ? 'loop' : 'thread']++;
    return isTaken;
  };
  process.on('SIGUSR2', () =>
    process.stderr.write(`signatures on loop ${counted.loop}, on threads ${counted.thread}\n`),
  );
}
