import { readFileSync } from 'node:fs';
import type { MutantResult } from '@stryker-mutator/api/core';

const UNNOTICED: ReadonlySet<MutantResult['status']> = new Set(['Survived', 'NoCoverage', 'Timeout']);

/** Characters of code on each side of the arrow. */
const LONGEST = 70;

/** A line for each change that no test noticed: where, why it counts, and the old and new code. */
export function unnoticedLines(mutants: readonly MutantResult[]): readonly string[] {
  return mutants
    .filter(({ status }) => UNNOTICED.has(status))
    .sort((one, other) => one.fileName.localeCompare(other.fileName) || placed(one) - placed(other))
    .map(inALine);
}

function placed({ location: { start } }: MutantResult): number {
  return start.line * 10_000 + start.column;
}

function inALine({ fileName, location: { start, end }, status, replacement = '' }: MutantResult): string {
  const line = readFileSync(fileName, 'utf8').split('\n')[start.line - 1] ?? '';
  const before = line.slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined);
  const place = `${fileName.slice(fileName.lastIndexOf('src/'))}:${start.line}:${start.column}`;
  return `${place} ${status}: ${cut(before)} → ${cut(replacement)}`;
}

function cut(code: string): string {
  const flat = code.replaceAll(/\s+/g, ' ');
  return flat.length <= LONGEST ? flat : `${flat.slice(0, LONGEST)}…`;
}
