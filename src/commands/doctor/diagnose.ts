import { systemClock } from '../../base/clock.ts';
import { checksFor } from './checks.ts';
import { examine } from './examine.ts';
import type { DoctorFinding } from './finding.ts';
import { subjectOf } from './subject.ts';

export interface Diagnosis {
  readonly file: string;
  /** False if something is broken. */
  readonly ok: boolean;
  readonly findings: readonly DoctorFinding[];
}

/** What keeps this file from working here. Changes nothing, and never rejects. */
export async function diagnose(file: string): Promise<Diagnosis> {
  const findings = await examine(subjectOf(file), { clock: systemClock, node: process.versions.node }, checksFor);
  return { file, ok: !findings.some(({ verdict }) => verdict === 'bad'), findings };
}
