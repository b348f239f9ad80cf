import t, { type Test } from 'tap';
import { random } from '../support/random.ts';
import type { Ask, Asker } from './asker.ts';
import { type Difference, Oracle } from './oracle.ts';
import { type RunningReader, running } from './reader-client.ts';
import { anyAbsent, readers } from './readers.ts';
import { inClasses } from './report.ts';
import { type RuleFile, ruleFiles } from './rule-files.ts';
import { seed, targetsPerReader } from './size.ts';
import { fixedAsks, someAsk } from './targets.ts';
import { brokenHosts } from './told.ts';
import { guessing, planted, plantedAsker, right } from './wrong-judges.ts';

/** Seven servers start, and a new machine builds them first. */
t.setTimeout(600_000);

const [file] = ruleFiles as readonly [RuleFile];
const behindProxy = { ...file, hosts: ['api.example.com', ...brokenHosts] };
const skip = { skip: anyAbsent() };
const present: RunningReader[] = [];

t.test('the readers start', skip, async () => {
  for (const reader of readers) present.push(await running(t, reader));
});

t.test('a judge from the same parts without a fault gets no finding', skip, async (t) => {
  same(t, await held(file, plantedAsker(file, right)));
  same(t, await held(behindProxy, plantedAsker(behindProxy, right, true)));
});

for (const [name, judge] of Object.entries(planted)) {
  t.test(`${name}: caught`, skip, async (t) => caught(t, await held(file, plantedAsker(file, judge))));
}

t.test('a judge that guesses where the authority ends: caught', skip, async (t) => {
  caught(t, await held(behindProxy, plantedAsker(behindProxy, guessing, true)));
});

async function held(rules: RuleFile, asker: Asker): Promise<readonly Difference[]> {
  return new Oracle({ file: rules, asker, readers: present }).differences(asks(rules));
}

function* asks(rules: RuleFile): Generator<Ask> {
  const own = random(seed);
  yield* fixedAsks(rules);
  for (let count = 0; count < Math.max(2000, targetsPerReader / 5); count++)
    yield { ...someAsk(rules, own), fields: [] };
}

function same(t: Test, found: readonly Difference[]): void {
  for (const line of inClasses(found, file)) t.comment(line);
  t.equal(found.length, 0);
}

function caught(t: Test, found: readonly Difference[]): void {
  const by = new Set(found.map(({ reader }) => reader));
  t.comment(`${found.length} differences, seen by ${[...by].join(', ')}`);
  t.ok(found.length >= 1);
}
