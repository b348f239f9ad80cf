import { globSync } from 'node:fs';

/** Everything with words in it. */
const HELD = [
  '*.md',
  'docs/**/*.md',
  'helm/**/*.{md,yaml,tpl,txt}',
  'config/**/*.yaml',
  'src/**/*.ts',
  'bench/**/*.{md,ts}',
];

/** @returns the files whose texts the style check holds, in order. */
export function heldFiles(): string[] {
  return HELD.flatMap((pattern) => globSync(pattern))
    .filter((file) => !file.includes('node_modules'))
    .sort();
}
