import t from 'tap';
import { skip as noCorpora } from '../support/corpora.ts';
import { random } from '../support/random.ts';
import type { Ask } from './asker.ts';
import { gatewayAsker, loaded } from './gateway-asker.ts';
import { breaches, leftOutBy, sentences } from './left-out.ts';
import { type Difference, Oracle } from './oracle.ts';
import { type RunningReader, running } from './reader-client.ts';
import { absent, anyAbsent, type Reader, readers } from './readers.ts';
import { inClasses, inFigures } from './report.ts';
import { configOf, type RuleFile, ruleFiles } from './rule-files.ts';
import { seed, targetsPerReader } from './size.ts';
import { corpusAsks, fixedAsks, someAsk } from './targets.ts';

/** Starts servers of seven makes: 17 s in .ci/run on a busy machine. */
t.setTimeout(3_600_000);

const served = new Map<string, number>();
/** Rows of `left-out.ts` that were needed, by reader. */
const needed = new Map<string, Set<string>>();
const present: RunningReader[] = [];

t.test('the readers start', async () => {
  for (const reader of readers) if (!absent(reader)) present.push(await running(t, reader));
});

for (const file of ruleFiles) {
  t.test(`${file.name}: no spelling passes whose plain form is refused to the same caller`, async (t) => {
    const oracle = new Oracle({ file, asker: await gatewayAsker(t, file), readers: present });
    const begin = performance.now();
    const found = await oracle.differences(asks(file));
    for (const [name, count] of Object.entries(oracle.counts.served)) served.set(name, (served.get(name) ?? 0) + count);
    const holes = found.filter((difference) => !isLeftOut(difference, file));
    t.comment(`seed ${seed}; ${inFigures(oracle.counts, holes.length, performance.now() - begin)}`);
    for (const line of inClasses(holes, file)) t.comment(line);
    t.equal(holes.length, 0);
  });
}

function* asks(file: RuleFile): Generator<Ask> {
  const own = random(seed + ruleFiles.indexOf(file));
  yield* fixedAsks(file);
  for (let count = 0; count < targetsPerReader / ruleFiles.length; count++) yield someAsk(file, own);
  if (noCorpora === false) yield* corpusAsks(file, own);
}

t.test('the path lists of the corpora are tested too', { skip: noCorpora }, async (t) => {
  for (const file of ruleFiles) t.ok(corpusAsks(file, random(seed)).next().done === false, file.name);
});

function isLeftOut(difference: Difference, file: RuleFile): boolean {
  const reader = readers.find(({ name }) => name === difference.reader) as Reader;
  const row = leftOutBy(difference, file, reader);
  if (row !== undefined) needed.set(reader.name, (needed.get(reader.name) ?? new Set()).add(row));
  return row !== undefined;
}

for (const reader of readers) {
  t.test(`${reader.name} reports ${reader.says}`, { skip: absent(reader) }, async (t) => {
    t.ok((served.get(reader.name) ?? 0) > targetsPerReader / 10, `served ${served.get(reader.name)}`);
    for (const row of breaches(reader)) t.ok(needed.get(reader.name)?.has(row), `${row}: the breach is there`);
  });
}

t.test('every ignored difference exists', { skip: anyAbsent() }, async (t) => {
  const seen = new Set([...needed.values()].flatMap((rows) => [...rows]));
  for (const [name, sentence] of sentences) t.comment(`${name}: ${sentence}`);
  const idle = [...sentences.keys()].filter((name) => !seen.has(name));
  t.strictSame(idle, []);
});

for (const file of ruleFiles.filter(({ keeps }) => keeps)) {
  t.test(`${file.name}: check warns about each route that keeps what some upstream reads differently`, async (t) => {
    const { warnings, locate } = loaded(configOf(file, 'http://127.0.0.1:9'));
    for (const [index, route] of file.routes.entries()) {
      const [first, second] = ['encoded_slashes', 'path_parameters'].filter((key) => key in route);
      if (first === undefined || second === undefined) continue;
      const lines = [first, second].map((key) => locate(['routes', index, key]).line);
      t.ok(
        warnings.some(({ line }) => lines.includes(line)),
        JSON.stringify(route),
      );
    }
  });
}
