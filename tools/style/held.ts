import { globSync } from 'node:fs';

/** Every file with text for readers. */
const ALL = [
  '*.md',
  'docs/**/*.md',
  'bench/*.md',
  'helm/**/*.{md,yaml,tpl}',
  'config/**/*.yaml',
  'src/**/*.ts',
  'tools/chart/*.ts',
];

/** A record of the past, in the words of its time. */
const RECORDS = /^CHANGELOG\.md$/;

/** @returns the files that the style check covers, in order. */
export function heldFiles(): string[] {
  return ALL.flatMap((pattern) => globSync(pattern))
    .filter((file) => !RECORDS.test(file))
    .sort();
}
