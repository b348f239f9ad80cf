import t from 'tap';
import { basic, config } from './plans.ts';
import { runPlan } from './run-plan.ts';

for (const plan of [config, basic]) t.test(`the provider passes ${plan.name}`, async (t) => runPlan(t, plan));
