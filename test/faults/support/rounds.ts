import type { Test } from 'tap';

export interface Round {
  readonly held: boolean;
  /** The figures, for whoever reads of it. */
  readonly met: string;
}

const MOST = 3;

/** Whatever else the machine does only ever adds, so one round of three in which it holds shows that it does. */
export async function holdsOnce(t: Test, what: string, round: () => Promise<Round>): Promise<void> {
  const met: string[] = [];
  for (let held = false; !held && met.length < MOST; ) {
    const told = await round();
    met.push(told.met);
    held = told.held;
    if (held) t.pass(what);
    else if (met.length === MOST) t.fail(`${what}: ${met.join('; ')}`);
  }
  t.comment(met.join('; '));
}
