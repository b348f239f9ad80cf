import t from 'tap';
import { formPost } from './plans.ts';
import { runPlan } from './run-plan.ts';

for (const plan of [formPost]) t.test(`the provider passes ${plan.name}`, async (t) => runPlan(t, plan));
