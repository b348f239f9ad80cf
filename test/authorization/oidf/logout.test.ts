import t from 'tap';
import { backChannelLogout, rpLogout } from './plans.ts';
import { runPlan } from './run-plan.ts';

for (const plan of [rpLogout, backChannelLogout])
  t.test(`the provider passes ${plan.name}`, async (t) => runPlan(t, plan));
