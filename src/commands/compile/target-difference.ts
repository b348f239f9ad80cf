import type { CompilePlan, Judged } from '../../gateway/compile/plan.ts';
import type { CompileTarget } from '../../gateway/compile/targets.ts';

/** What a change of the file means for a proxy with the compiled rules. */
export interface TargetDifference {
  readonly target: string;
  /** Whether the proxy needs the new output. */
  readonly output_changed: boolean;
  /** Routes that someone else judges. Absent: the file does not have the route. */
  readonly judges: readonly JudgeChange[];
  /** Reasons why the proxy cannot judge a route, which the old file did not have. */
  readonly new_findings: readonly { readonly at: string; readonly what: string; readonly why: string }[];
}

export interface JudgeChange {
  readonly route: string;
  readonly before?: Judged;
  readonly after?: Judged;
}

export function targetDifference(
  name: string,
  { render }: CompileTarget,
  before: CompilePlan,
  after: CompilePlan,
): TargetDifference {
  const known = new Set(before.findings.map(({ what, why }) => `${what} ${why}`));
  return {
    target: name,
    output_changed: withoutComments(render(before)) !== withoutComments(render(after)),
    judges: judgeChanges(judgesOf(before), judgesOf(after)),
    new_findings: after.findings
      .filter(({ what, why }) => !known.has(`${what} ${why}`))
      .map(({ at, what, why }) => ({ at, what, why })),
  };
}

/** The comments have lines of the file, and its hash. */
function withoutComments(text: string): string {
  return text.replace(/^ *#.*\n/gm, '');
}

type Judges = ReadonlyMap<string, Judged>;

function judgesOf({ routes }: CompilePlan): Judges {
  return new Map(routes.map(({ id, judged }) => [id, judged]));
}

function judgeChanges(before: Judges, after: Judges): readonly JudgeChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((route) => {
    const [old, now] = [before.get(route), after.get(route)];
    return old === now ? [] : [{ route, ...(old && { before: old }), ...(now && { after: now }) }];
  });
}
