import type { Test } from 'tap';
import { judged, type Verdict } from './judge.ts';
import type { PlanModule } from './module.ts';
import { prepare } from './party.ts';
import type { Plan } from './plans.ts';
import { type Provider, startProvider } from './provider/provider.ts';

/** Milliseconds between two modules, as a person who runs them takes at least. */
const PAUSE = 5_000;

/** Every module at one provider, each with a new browser. */
export async function runPlan(t: Test, plan: Plan): Promise<void> {
  const provider = await startProvider(t);
  const verdicts = new Map<string, Verdict>();
  for (const module of plan.modules)
    await t.test(module.name, async (t) => {
      const verdict = await verdictOf(module, plan, provider);
      verdicts.set(module.name, verdict);
      t.not(verdict.result, 'failed', `${module.section}: ${module.judges} ${verdict.reasons.join('\n')}`);
    });
  for (const line of report(plan, verdicts)) t.comment(line);
}

export function verdictOf(module: PlanModule, { mode }: Pick<Plan, 'mode'>, provider: Provider): Promise<Verdict> {
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
