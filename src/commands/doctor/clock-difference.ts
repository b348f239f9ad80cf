import { bad, doubtful, good, type Seen } from './finding.ts';

/** Milliseconds. `allowed`: by how much clocks may differ before something is refused. */
export interface ClockDifference {
  readonly theirs: number;
  readonly ours: number;
  readonly allowed: number;
  /** What comes of it. */
  readonly harm: string;
}

/** Of an answer, half on its way; of a Date header, which knows whole seconds. */
const BLUR = 1_500;
const NTP = 'set both clocks by NTP';

/** More than half of what is allowed will be all of it soon. */
export function judgeClocks({ theirs, ours, allowed, harm }: ClockDifference): Seen {
  const difference = theirs - ours;
  const size = Math.max(0, Math.abs(difference) - BLUR);
  const shown = `its clock is ${(Math.abs(difference) / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} ours`;
  if (size > allowed) return bad(`${shown}, more than the ${allowed / 1000} s that are allowed: ${harm}`, NTP);
  return size > allowed / 2
    ? doubtful(`${shown}, of ${allowed / 1000} s that are allowed`, NTP)
    : good(size === 0 ? 'agrees with ours' : shown);
}
