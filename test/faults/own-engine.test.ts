import t, { type Test } from 'tap';
import { skip } from '../support/corpora.ts';
import { MemoryWire } from '../support/memory-wire.ts';
import { random } from '../support/random.ts';
import { type AnswerCase, type Seen, shown } from './support/answer-case.ts';
import { joined, parts } from './support/answer-grammar.ts';
import { cuts, mutated, mutations, spoils } from './support/answer-mutations.ts';
import { ownReading, type Reading, readAnswer, undiciReading } from './support/answer-readings.ts';
import { type Compared, compare, differences } from './support/engine-comparison.ts';
import { hostileAnswers } from './support/hostile-answers.ts';
import { llhttpAnswers } from './support/llhttp-answers.ts';
import { FIN } from './support/played-answer.ts';
import { sized } from './support/size.ts';

// Our engine reads what undici reads, or reports it as invalid: answer by answer, over connections in memory.

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));
// This test creates errors by the hundred thousand, and their stacks would take most of the time.
Error.stackTraceLimit = 0;

const LANES = 128;
/** One case in so many also runs through the whole engine, with its connection and pool. */
const WHOLE = 10;
/** One case in so many is also cut for undici. */
const CUT = 20;

interface Tally {
  readonly counts: Map<string, number>;
  readonly wrong: string[];
}

type CaseAt = (index: number) => AnswerCase | undefined;

/** Compares until no case is left. `index` is also the seed of how the bytes are cut. */
async function comparing(caseAt: CaseAt): Promise<Tally> {
  const tally: Tally = { counts: new Map(), wrong: [] };
  let next = 0;
  const lane = async () => {
    const readings = { undici: undiciReading(), lent: ownReading(), given: ownReading(MemoryWire) };
    for (let index = next++; ; index = next++) {
      const answer = caseAt(index);
      if (answer === undefined) break;
      await compareOne(answer, index, readings, tally);
    }
    await Promise.all([readings.undici.close(), readings.lent.close(), readings.given.close()]);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return tally;
}

interface Readings {
  readonly undici: Reading;
  /** As without TLS. */
  readonly lent: Reading;
  /** As with it. */
  readonly given: Reading;
}

async function compareOne(
  answer: AnswerCase,
  index: number,
  { undici, lent, given }: Readings,
  tally: Tally,
): Promise<void> {
  const bytes = Buffer.from(answer.bytes, 'latin1');
  const pieces = cuts(bytes, random(index + 1));
  const theirs = await undici.read(answer, index % CUT === 0 ? pieces : [bytes]);
  note(answer, index, [readAnswer(answer, pieces), theirs], tally);
  if (index % WHOLE !== 0) return;
  const own = index % (2 * WHOLE) === 0 ? lent : given;
  note(answer, index, [await own.read(answer, pieces), theirs], tally);
}

function note(
  answer: AnswerCase,
  index: number,
  [ours, theirs]: readonly [Seen, Seen],
  { counts, wrong }: Tally,
): void {
  const compared = compare(answer, ours, theirs);
  const title = titleOf(compared);
  counts.set(title, (counts.get(title) ?? 0) + 1);
  if (compared.kind !== 'wrong' || wrong.length >= 10) return;
  const told = [ours, theirs].map((seen) => JSON.stringify({ ...seen, error: seen.error?.message }));
  wrong.push([`${index}: ${compared.reason}`, shown(answer), ...told].join('\n'));
}

function titleOf(compared: Compared): string {
  return compared.kind === 'equal' ? 'equal' : `${compared.kind}: ${compared.reason}`;
}

function assertRight(t: Test, { counts, wrong }: Tally): void {
  for (const [title, count] of [...counts].sort(([, a], [, b]) => b - a)) t.comment(`${count} ${title}`);
  t.same(wrong, []);
}

function from(answers: readonly AnswerCase[]): CaseAt {
  return (index) => answers[index];
}

t.test("llhttp's own test cases are read as undici reads them, or rejected", { skip }, async (t) => {
  const answers = llhttpAnswers();
  t.ok(answers.length >= 6 * 40, `${answers.length} cases`);
  assertRight(t, await comparing(from(answers)));
});

t.test('a hostile answer is read as undici reads it, or rejected', async (t) => {
  const answers = hostileAnswers.filter(({ heavy }) => heavy === undefined).flatMap(said);
  t.ok(answers.length >= 40);
  assertRight(t, await comparing(from(answers)));
});

/** Its text, up to where bytes and an end can express it. */
function said({ request, says }: (typeof hostileAnswers)[number]): AnswerCase[] {
  const pieces = [...says('tag')];
  const bytes = pieces.filter((piece) => typeof piece === 'string').join('');
  const method = request === 'HEAD' ? 'HEAD' : 'GET';
  const answer = { method, upgrades: request === 'handshake', bytes } as const;
  return pieces.includes(FIN) ? [{ ...answer, ends: true }] : [true, false].map((ends) => ({ ...answer, ends }));
}

t.test('a valid answer is never rejected, and is read as undici reads it (RFC 9112 §§4–7)', async (t) => {
  const count = sized(2_000, 50_000, 1_000_000);
  const tally = await comparing((index) => (index < count ? joined(parts(random(index))) : undefined));
  assertRight(t, tally);
  const refused = [...tally.counts.keys()].filter((title) => title.startsWith('stricter'));
  t.same(refused, ['stricter: the connection is closed'], 'it is stricter only in what it keeps');
});

t.test('a damaged answer is read as undici reads it, or rejected, however its bytes are cut', async (t) => {
  const count = sized(5_000, 1_000_000, 5_000_000);
  const start = Number(process.env.GATEHOUSE_SEED ?? 0);
  const tally = await comparing((index) => (index < count ? mutated(random(start + index)) : undefined));
  assertRight(t, tally);
  t.ok((tally.counts.get('equal') ?? 0) > count / 2, 'most are still read');
});

t.test('every kind of damage changes some answers, and every listed difference from undici occurs', async (t) => {
  const changes = new Set<string>();
  for (let seed = 0; seed < 500; seed++) {
    for (const [name, mutate] of Object.entries(mutations)) {
      const [before, after] = [parts(random(seed)), parts(random(seed))];
      mutate(after, random(seed));
      if (shown(joined(before)) !== shown(joined(after))) changes.add(name);
    }
    for (const [name, spoil] of Object.entries(spoils)) {
      const before = joined(parts(random(seed)));
      if (shown(before) !== shown(spoil(before, random(seed)))) changes.add(name);
    }
  }
  t.same([...changes].sort(), [...Object.keys(mutations), ...Object.keys(spoils)].sort());
  const { counts } = await comparing((index) => (index < 5_000 ? mutated(random(index)) : undefined));
  for (const { name, because } of differences) t.ok((counts.get(`known: ${name}`) ?? 0) > 0, `${name}: ${because}`);
});
