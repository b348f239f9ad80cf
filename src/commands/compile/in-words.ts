import { printableValue } from '../../base/printable.ts';
import type { UnsupportedMode } from '../../gateway/compile/make-plan.ts';
import type { CompileFinding, CompilePlan, Judged } from '../../gateway/compile/plan.ts';
import { table } from '../common/table.ts';

/** Each finding with its place, what it is, why it cannot be said, and the remedy. */
export function unsupportedInWords(findings: readonly CompileFinding[]): string {
  return findings.map(findingInWords).join('');
}

function findingInWords({ at, what, why, remedy, routes }: CompileFinding): string {
  const concerned = routes.length === 0 ? 'no route' : routes.join(', ');
  const lines = [`${at}: ${what}: ${why}`, `  concerns: ${concerned}`, `  remedy: ${remedy}`];
  return lines.map((line) => `${printableValue(line)}\n`).join('');
}

/** Each finding of an output that was written, and what became of its routes. */
export function handledInWords(findings: readonly CompileFinding[], mode: UnsupportedMode): string {
  const outcome = mode === 'ask' ? 'Gatehouse judges' : 'left out';
  return findings
    .map(({ at, what, why, routes }) => {
      const concerned = routes.length === 0 ? 'no route' : routes.join(', ');
      return `${printableValue(`${at}: ${what}: ${why}`)}\n  ${printableValue(`${outcome}: ${concerned}`)}\n`;
    })
    .join('');
}

/** Each difference that the operator has accepted. */
export function acceptedInWords(accepted: readonly CompileFinding[]): string {
  return accepted.map(({ at, why, accept }) => `${printableValue(`${at}: accepted ${accept}: ${why}`)}\n`).join('');
}

const verdicts: Readonly<Record<Judged, string>> = {
  here: 'judged by the proxy',
  asked: 'judged by Gatehouse',
  omitted: 'left out: 404',
};

/** Who judges each route. */
export function splitInWords({ routes }: CompilePlan): string {
  return table(routes.map(({ id, at, judged }) => [id, verdicts[judged], at]));
}

export function planAsJson({ source, routes, findings, accepted }: CompilePlan): object {
  return {
    source_sha256: source.hash,
    routes: routes.map(({ id, at, judged }) => ({ id, at, judged })),
    findings: findings.map(findingAsJson),
    accepted: accepted.map((finding) => ({ ...findingAsJson(finding), accept: finding.accept })),
  };
}

function findingAsJson({ at, what, why, remedy, routes }: CompileFinding): object {
  return { at, what, why, remedy, routes };
}
