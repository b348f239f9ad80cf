import { inTurn } from '../in-turn.ts';
import { median } from '../report.ts';
import { type Contender, makeContenders, signatureAt, verifyOnLoop, verifyOnThread } from './contenders.ts';

export interface VerifyBench {
  readonly rounds: number;
  readonly say: (message: string) => void;
}

/** CPU microseconds of one verification. */
export interface Spent {
  /** Of the process, including its threads. */
  readonly all: number;
  /** Of the event loop's thread alone. */
  readonly loop: number;
}

export interface Verified {
  readonly name: string;
  readonly place: 'loop' | 'budget' | 'thread';
  /** Each round: one at a time, and so many at once. */
  readonly thread: readonly Spent[];
  readonly threadAtOnce: readonly Spent[];
  readonly onLoop: readonly Spent[];
}

const AT_ONCE = 32;

/** What a signature costs on the event loop and on a thread, in turn. */
export async function benchVerify({ rounds, say }: VerifyBench): Promise<readonly Verified[]> {
  const results: Verified[] = [];
  for (const contender of await makeContenders()) {
    const spent = { thread: [] as Spent[], threadAtOnce: [] as Spent[], onLoop: [] as Spent[] };
    const ways = Object.keys(spent) as (keyof typeof spent)[];
    for (const way of ways) await works[way](contender);
    for (let round = 1; round <= rounds; round++)
      for (const way of inTurn(ways, round)) spent[way].push(await measure(contender, works[way]));
    say(`${contender.name}: ${ways.map((way) => `${way} ${least(spent[way], 'all').toFixed(1)} µs`).join(', ')}`);
    results.push({ name: contender.name, place: placeOf(contender), ...spent });
  }
  return results;
}

const works = { thread: oneByOne, threadAtOnce: atOnce, onLoop };

async function oneByOne(contender: Contender): Promise<void> {
  for (let index = 0; index < contender.count; index++)
    expect(await verifyOnThread(contender, signatureAt(contender, index)));
}

async function atOnce(contender: Contender): Promise<void> {
  for (let index = 0; index < contender.count; index += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, contender.count - index) }, (_, each) =>
      verifyOnThread(contender, signatureAt(contender, index + each)),
    );
    for (const answer of await Promise.all(some)) expect(answer);
  }
}

async function onLoop(contender: Contender): Promise<void> {
  for (let index = 0; index < contender.count; index++) expect(verifyOnLoop(contender, signatureAt(contender, index)));
}

function expect(answer: boolean): void {
  if (!answer) throw new Error('a good signature did not verify');
}

async function measure(contender: Contender, work: (contender: Contender) => Promise<void>): Promise<Spent> {
  const [all, loop] = [process.cpuUsage(), process.threadCpuUsage()];
  await work(contender);
  const [allAfter, loopAfter] = [process.cpuUsage(all), process.threadCpuUsage(loop)];
  const each = ({ user, system }: NodeJS.CpuUsage) => (user + system) / contender.count;
  return { all: each(allAfter), loop: each(loopAfter) };
}

function placeOf({ key: { onLoop } }: Contender): Verified['place'] {
  if (onLoop === undefined) return 'thread';
  return onLoop.cost === 0 ? 'loop' : 'budget';
}

function least(spent: readonly Spent[], of: keyof Spent): number {
  return Math.min(...spent.map((each) => each[of]));
}

export function verifyTable(results: readonly Verified[]): string {
  const cell = (spent: readonly Spent[], of: keyof Spent) =>
    `${least(spent, of).toFixed(1)} / ${median(spent.map((each) => each[of])).toFixed(1)}`;
  const rows = results.map(({ name, place, thread, threadAtOnce, onLoop }) => {
    const all = [thread, threadAtOnce, onLoop].map((spent) => cell(spent, 'all'));
    const loop = [thread, threadAtOnce].map((spent) => cell(spent, 'loop'));
    return `| ${name} | ${[...all, ...loop].join(' | ')} | ${place} |`;
  });
  return [
    `| CPU µs of one, least / median | thread | thread, ${AT_ONCE} at once | event loop | of its thread: thread | thread, ${AT_ONCE} at once | where |`,
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
