import t from 'tap';
import { corpus, skip } from '../../support/corpora.ts';
import { judged, type Verdict } from './judge.ts';
import type { PlanModule } from './module.ts';
import { prepare } from './party.ts';
import { type Plan, plans } from './plans.ts';
import { type Provider, startProvider } from './provider/provider.ts';

/** Milliseconds between two modules, as a person who runs them takes at least. */
const PAUSE = 5_000;

for (const plan of plans)
  t.test(`the provider passes ${plan.name}`, async (t) => {
    const provider = await startProvider(t);
    const verdicts = new Map<string, Verdict>();
    for (const module of plan.modules)
      await t.test(module.name, async (t) => {
        const verdict = await verdictOf(module, plan, provider);
        verdicts.set(module.name, verdict);
        t.not(verdict.result, 'failed', `${module.section}: ${module.judges} ${verdict.reasons.join('\n')}`);
      });
    for (const line of report(plan, verdicts)) t.comment(line);
  });

function verdictOf(module: PlanModule, { mode }: Plan, provider: Provider): Promise<Verdict> {
  provider.clock.advance(PAUSE);
  return judged(async (judge) => module.run(await prepare({ judge, provider, mode })));
}

/** What passed, and everything that did not. */
function report({ name }: Plan, verdicts: ReadonlyMap<string, Verdict>): readonly string[] {
  const others = [...verdicts].filter(([, { result }]) => result !== 'passed');
  return [
    `${name}: ${verdicts.size - others.length} of ${verdicts.size} modules passed`,
    ...others.map(([module, { result, reasons }]) => `${module}: ${result}: ${reasons.join('; ')}`),
  ];
}

interface Corpus {
  readonly plans: readonly { readonly plan: string; readonly modules: readonly string[] }[];
}

t.test('each plan has exactly the modules of the real plan', { skip }, async (t) => {
  const real = JSON.parse(corpus('oidf_op_test_modules.json')) as Corpus;
  const namesOf = (name: string) => real.plans.find(({ plan }) => plan === name)?.modules ?? [];
  for (const { name, modules } of plans) {
    const source = name.replace('formpost-', '');
    t.strictSame(modules.map((module) => module.name).sort(), [...namesOf(source)].sort(), name);
  }
});
