/** The result of a module, in the words of the OpenID Foundation's suite. */
export interface Verdict {
  readonly result: 'passed' | 'warning' | 'failed' | 'skipped';
  /** Why; empty for `passed`. */
  readonly reasons: readonly string[];
}

/** Ends a module at once. */
class Stop extends Error {}

class Skip extends Error {}

/** Collects the findings of one module. */
export class Judge {
  readonly failures: string[] = [];
  readonly warnings: string[] = [];

  /** A rule that a provider must keep. */
  must(isKept: boolean, rule: string, found?: unknown): void {
    if (!isKept) this.failures.push(worded(rule, found));
  }

  /** A rule that a provider may break. */
  should(isKept: boolean, rule: string, found?: unknown): void {
    if (!isKept) this.warnings.push(worded(rule, found));
  }
}

/** A rule without which the rest of the module makes no sense. */
export function need(judge: Judge, isKept: boolean, rule: string, found?: unknown): asserts isKept {
  if (isKept) return;
  judge.must(false, rule, found);
  throw new Stop();
}

/** Where the real suite skips the module too. */
export function skipModule(reason: string): never {
  throw new Skip(reason);
}

function worded(rule: string, found: unknown): string {
  return found === undefined ? rule : `${rule}: ${typeof found === 'string' ? found : JSON.stringify(found)}`;
}

/** Runs a module to its end, or to the first thing without which it makes no sense. */
export async function judged(run: (judge: Judge) => Promise<void>): Promise<Verdict> {
  const judge = new Judge();
  const skipped = await run(judge).then(
    () => undefined,
    (error) => ended(judge, error),
  );
  if (judge.failures.length > 0) return { result: 'failed', reasons: judge.failures };
  if (judge.warnings.length > 0) return { result: 'warning', reasons: judge.warnings };
  return skipped === undefined ? { result: 'passed', reasons: [] } : { result: 'skipped', reasons: [skipped] };
}

/** Why the module was skipped. An error of another kind is a failure. */
function ended(judge: Judge, error: unknown): string | undefined {
  if (error instanceof Skip) return error.message;
  if (!(error instanceof Stop)) judge.must(false, 'the module ends', String(error));
  return undefined;
}
