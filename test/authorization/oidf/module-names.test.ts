import t from 'tap';
import { corpus, skip } from '../../support/corpora.ts';
import { basic, formPost, plans } from './plans.ts';

interface Corpus {
  readonly plans: readonly { readonly plan: string; readonly modules: readonly string[] }[];
}

t.test('each plan has exactly the modules of the real plan', { skip }, async (t) => {
  const real = JSON.parse(corpus('oidf_op_test_modules.json')) as Corpus;
  for (const plan of plans) {
    // The corpus lists no modules for form_post: they are the modules of the basic plan.
    const source = plan === formPost ? basic : plan;
    const names = real.plans.find(({ plan }) => plan === source.name)?.modules ?? [];
    t.strictSame(plan.modules.map(({ name }) => name).sort(), [...names].sort(), plan.name);
  }
});

t.test('the plans have 52 different modules, and each says what it judges, by which section', async (t) => {
  const modules = new Map(plans.flatMap((plan) => plan.modules).map((module) => [module.name, module]));
  t.equal(modules.size, 52);
  for (const { name, section, judges } of modules.values()) {
    t.match(section, /^(OpenID Connect|RFC [0-9]+) .*§[0-9]/, name);
    t.match(judges, /^[A-Z].*\.$/, name);
  }
});
