import { printableValue } from '../../base/printable.ts';
import type { Judged } from '../../gateway/compile/plan.ts';
import type { Comparison, PermissionChange, Undecided } from '../../gateway/diff/compare.ts';
import type { Replay, Replayed } from '../../gateway/diff/replay.ts';
import type { TargetDifference } from '../compile/target-difference.ts';

export interface Difference extends Comparison {
  readonly replay?: Replay;
  readonly compiled?: TargetDifference;
}

export function differenceInWords({ changes, undecided, settings, replay, compiled }: Difference): string {
  const of = (change: PermissionChange['change']) => changes.filter((one) => one.change === change);
  return [
    ...section('More open', of('opened').flatMap(changeLines)),
    ...section('More closed', of('closed').flatMap(changeLines)),
    ...section('Undecided: a `when` has too many cases to try', undecided.map(undecidedLine)),
    ...section('Changed, without effect on the tried requests', settings),
    ...(changes.length === 0 ? ['No request has more or less access than before.'] : []),
    ...(replay === undefined ? [] : replayLines(replay)),
    ...(compiled === undefined ? [] : compiledLines(compiled)),
    '',
  ]
    .map(printableValue)
    .join('\n');
}

const judges: Readonly<Record<Judged | 'absent', string>> = {
  here: 'the proxy',
  asked: 'Gatehouse',
  omitted: 'no one',
  absent: 'nothing (no such route)',
};

function compiledLines({ target, output_changed, judges: changes, new_findings }: TargetDifference): readonly string[] {
  const heading = `Compiled for ${target}: the output ${output_changed ? 'changes' : 'stays the same'}`;
  const by = (judge: Judged | undefined) => judges[judge ?? 'absent'];
  const lines = changes.map(({ route, before, after }) => `${route}: judged by ${by(before)}, now by ${by(after)}`);
  return [
    heading,
    ...[...lines, ...new_findings.map(({ at, what, why }) => `${at}: ${what}: ${why}`)].map((line) => `  ${line}`),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
}

function changeLines({ hosts, methods, path, callers, before, after }: PermissionChange): readonly string[] {
  return [
    `${methods.join(',')} ${path}  at ${hosts.join(', ')}`,
    `  ${callers.join('; ')}`,
    `  was ${before}`,
    `  now ${after}`,
  ];
}

function undecidedLine({ route, at }: Undecided): string {
  return at === undefined ? route : `${route} (${at})`;
}

function replayLines({ requests, changed, undecided, ignored }: Replay): readonly string[] {
  const total = changed.reduce((sum, { count }) => sum + count, 0);
  return [
    `Replay: ${requests} requests, ${total} answered differently, ${undecided} undecided, lines left out: ${ignored}`,
    ...changed.map((line) => `  ${replayedLine(line)}`),
  ];
}

function replayedLine({ count, method, example, others, route, client, was, now }: Replayed): string {
  const more = others === 0 ? '' : ` and ${others} other${others === 1 ? '' : 's'}`;
  const who = client === undefined ? '' : ` by ${client}`;
  const where = route === undefined ? '' : ` (${route})`;
  return `${count} × ${method} ${example}${more}${where}${who}: was ${was}, now ${now}`;
}
