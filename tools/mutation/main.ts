// `npm run test:mutation [-- room …]`: Stryker over the rooms that decide. What came of it stands in
// test/mutation/summary.json, each mutant in .mutation/ROOM.json; docs/mutation.md says what the survivors are.
import { rooms } from './rooms.ts';
import { runRoom } from './run-room.ts';
import { LEAST, recordScore, type Score } from './summary.ts';

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(rooms);
const unknown = names.filter((name) => rooms[name] === undefined);
if (unknown.length > 0) {
  console.error(`no such room: ${unknown.join(', ')}; there are ${Object.keys(rooms).join(', ')}`);
  process.exit(2);
}

const scores: (readonly [name: string, score: Score])[] = [];
for (const name of names) {
  const room = rooms[name];
  if (room !== undefined) scores.push([name, recordScore(name, await runRoom(name, room))]);
}
for (const [name, { score, killed, survived, timeout, noCoverage }] of scores) {
  console.log(
    `${name}: ${score} % (killed ${killed}, survived ${survived}, timeout ${timeout}, not covered ${noCoverage})`,
  );
}
if (scores.some(([, { score }]) => score < LEAST)) process.exitCode = 1;
