// `npm run test:mutation [-- room … file … --again]`: Stryker over the rooms that decide about access. The result is in
// test/mutation/summary.json, and each mutant is in .mutation/ROOM.json. docs/mutation.md explains the survivors.
import { type Chosen, choose } from './choice.ts';
import { runRoom } from './run-room.ts';
import { LEAST, recordScore, scoreOf } from './summary.ts';
import { unnoticedLines } from './unnoticed.ts';

const chosen = choose(process.argv.slice(2));
if (typeof chosen === 'string') {
  console.error(chosen);
  process.exit(2);
}

const told: (() => void)[] = [];
for (const each of chosen) told.push(await judged(each));
for (const tell of told) tell();

/** Prints the figures of a room. For part of a room, also prints each change that no test noticed. */
async function judged(chosen: Chosen): Promise<() => void> {
  const { name, isPart } = chosen;
  const mutants = await runRoom(chosen);
  const { score, killed, survived, timeout, noCoverage } = isPart ? scoreOf(mutants) : recordScore(name, mutants);
  if (score < LEAST) process.exitCode = 1;
  return () => {
    if (isPart) for (const line of unnoticedLines(mutants)) console.log(line);
    const counts = `killed ${killed}, survived ${survived}, timeout ${timeout}, not covered ${noCoverage}`;
    console.log(`${name}${isPart ? ' (a part)' : ''}: ${score} % (${counts})`);
  };
}
