import t from 'tap';
import { random } from '../support/random.ts';
import type { Ask } from './asker.ts';
import { decisionAsker } from './gateway-asker.ts';
import { Oracle } from './oracle.ts';
import { type RunningReader, running } from './reader-client.ts';
import { absent, readers } from './readers.ts';
import { inClasses, inFigures } from './report.ts';
import { type RuleFile, ruleFiles } from './rule-files.ts';
import { seed, targetsPerReader } from './size.ts';
import { fixedAsks, someAsk } from './targets.ts';
import { brokenHosts, tellings } from './told.ts';

/** Starts servers of seven makes: 12 s in .ci/run on a busy machine. */
t.setTimeout(3_600_000);

const [literals] = ruleFiles as readonly [RuleFile];
/** Half of the requests have an invalid host. */
const honest = brokenHosts.map(() => 'api.example.com');
const file: RuleFile = { ...literals, hosts: [...honest, ...brokenHosts] };
const present: RunningReader[] = [];

t.test('the readers start', async () => {
  for (const reader of readers) if (!absent(reader)) present.push(await running(t, reader));
});

for (const telling of tellings) {
  t.test(`${telling.name}: a proxy lets no spelling pass whose plain form is refused to the same caller`, async (t) => {
    const oracle = new Oracle({ file, asker: await decisionAsker(t, file, telling), readers: present });
    const begin = performance.now();
    const found = await oracle.differences(asks());
    t.comment(`seed ${seed}; ${inFigures(oracle.counts, found.length, performance.now() - begin)}`);
    for (const line of inClasses(found, file)) t.comment(line);
    t.equal(found.length, 0);
    t.ok(oracle.counts.forwarded > 10, `forwarded ${oracle.counts.forwarded}`);
  });
}

function* asks(): Generator<Ask> {
  const own = random(seed);
  yield* fixedAsks({ ...literals, hosts: ['api.example.com', ...brokenHosts] });
  for (let count = 0; count < targetsPerReader / 10; count++) yield { ...someAsk(file, own), fields: [] };
}
