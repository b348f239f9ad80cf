import { readFileSync, writeFileSync } from 'node:fs';
import type { MutantResult } from '@stryker-mutator/api/core';

const FILE = 'test/mutation/summary.json';

/** Percent, for every room. */
export const LEAST = 80;

export interface Counts {
  readonly killed: number;
  readonly survived: number;
  /** Not counted as killed: a timeout proves nothing. */
  readonly timeout: number;
  readonly noCoverage: number;
}

export interface Score extends Counts {
  /** Percent killed overall, cut to one decimal. */
  readonly score: number;
  readonly files: Readonly<Record<string, Counts & { readonly score: number }>>;
}

/** Writes the room into the summary, and keeps the others. */
export function recordScore(room: string, mutants: readonly MutantResult[]): Score {
  const files = Map.groupBy(mutants, ({ fileName }) => fileName.slice(fileName.lastIndexOf('src/')));
  const entries = [...files].map(([file, own]) => [file, scoreOf(own)] as const);
  const score: Score = { ...scoreOf(mutants), files: Object.fromEntries(entries.sort()) };
  const before: Readonly<Record<string, Score>> = JSON.parse(readFileSync(FILE, 'utf8'));
  const rooms = Object.entries({ ...before, [room]: score }).sort(([one], [other]) => one.localeCompare(other));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(rooms), undefined, 2)}\n`);
  return score;
}

/** The figures of some mutants together. */
export function scoreOf(mutants: readonly MutantResult[]): Counts & { readonly score: number } {
  const count = (status: MutantResult['status']) => mutants.filter((mutant) => mutant.status === status).length;
  const counts = {
    killed: count('Killed'),
    survived: count('Survived'),
    timeout: count('Timeout'),
    noCoverage: count('NoCoverage'),
  };
  const all = counts.killed + counts.survived + counts.timeout + counts.noCoverage;
  return { score: all === 0 ? 100 : Math.floor((1000 * counts.killed) / all) / 10, ...counts };
}
