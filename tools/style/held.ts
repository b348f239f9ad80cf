import { globSync } from 'node:fs';

/** Every file with text for readers. */
const ALL = [
  '*.md',
  'docs/**/*.md',
  'bench/*.md',
  'helm/**/*.{md,yaml,tpl}',
  'config/**/*.{yaml,conf}',
  'Dockerfile',
  'bin/*.js',
  'src/**/*.{ts,js}',
  'tools/chart/*.ts',
];

/** A record of the past, in the words of its time; the code of others; and German. */
const OTHERS = /^CHANGELOG\.md$|\/vendor\/|\/texts\/de\.js$/;

/** @returns the files that the style check covers, in order. */
export function heldFiles(): string[] {
  return ALL.flatMap((pattern) => globSync(pattern))
    .filter((file) => !OTHERS.test(file))
    .sort();
}
