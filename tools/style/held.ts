import { globSync } from 'node:fs';

/** Everything with words in it. */
const ALL = ['*.md', 'docs/**/*.md', 'config/**/*.yaml', 'src/**/*.ts'];

/** Records of the past: each is rewritten when its subject changes. */
const RECORDS = /^(?:CHANGELOG\.md|docs\/decisions\/)/;

/** @returns the files whose texts the style check holds, in order. */
export function heldFiles(): string[] {
  return ALL.flatMap((pattern) => globSync(pattern))
    .filter((file) => !RECORDS.test(file))
    .sort();
}
