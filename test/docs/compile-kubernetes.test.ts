import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { makePlan, type UnsupportedMode } from '../../src/gateway/compile/make-plan.ts';
import { compileTargets } from '../../src/gateway/compile/targets.ts';
import { textOf, type Values } from './cookbook.ts';

const page = textOf('compile-kubernetes.md');

/** Each command of the page, with the part of its output behind it. */
const EXAMPLE =
  /^\.\/bin\/gatehouse\.js compile (\S+) --config gateway\.yaml(?: --on-unsupported (\S+))?(?: \\\n)? +(?:--accept (.+?) )?--out cluster\n```\n\n```yml\n(.*?)^```$/gms;

function outputFor(target: string, mode: UnsupportedMode, accepted: readonly string[]): string {
  const [, text = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const loaded = loadGatewayText(text, { file: 'gateway.yaml', env: {} });
  const row = compileTargets[target];
  if (!loaded.ok || row === undefined) throw new Error(target);
  const input = { ...loaded, source: { file: 'gateway.yaml', hash: 'hash' }, keys: new Map() };
  const plan = makePlan(input, mode, { limits: row.limits, accepted: new Set(accepted) });
  t.strictSame(
    plan.findings.filter(() => mode === 'error'),
    [],
    target,
  );
  return row.render(plan);
}

t.test('the page about Kubernetes shows parts of what its commands write', async (t) => {
  const examples = [...page.matchAll(EXAMPLE)];
  t.equal(examples.length, 3);
  for (const [, target = '', mode = 'error', names = '', shown = ''] of examples) {
    const text = outputFor(target, mode as UnsupportedMode, names.split(' '));
    const objects: Values[] = parseAllDocuments(text).map((document) => document.toJSON());
    const part = parse(shown);
    if (Array.isArray(part)) {
      const rules = objects.find(({ metadata }) => metadata.name === 'gatehouse-allows').spec.rules;
      t.ok(
        rules.some((rule: Values) => JSON.stringify(rule) === JSON.stringify(part[0])),
        `${target}: ${text}`,
      );
      continue;
    }
    const same = objects.find(({ kind, metadata }) => kind === part.kind && metadata.name === part.metadata.name);
    t.match(same, part, target);
    const comments = shown.split('\n').filter((line) => line.startsWith('#'));
    for (const comment of comments) t.match(text, comment);
  }
});
