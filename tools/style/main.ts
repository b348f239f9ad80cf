// `npm run style`: finds words and forms that our texts must not have. `npm run style -- PATH …`: only in these files
// or folders. `npm run style -- --measure`: how easy each page is to read.
import { globSync, readFileSync, statSync } from 'node:fs';
import { findingsIn } from './findings.ts';
import { heldFiles } from './held.ts';
import { readabilityOf, termsIn } from './readability.ts';

function filesOf(path: string): string[] {
  return statSync(path).isDirectory() ? globSync(`${path}/**/*.{md,ts,js,yaml,yml,tpl,conf,txt}`).sort() : [path];
}

function report(files: readonly string[]): number {
  const findings = files.flatMap((file) => findingsIn(file, readFileSync(file, 'utf8')));
  for (const { file, line, found, write } of findings) console.log(`${file}:${line}: ${found} → ${write}`);
  console.log(`${findings.length} to change in ${files.length} files`);
  return findings.length === 0 ? 0 : 1;
}

function measure(files: readonly string[]): number {
  const terms = termsIn(readFileSync('docs/concepts.md', 'utf8'));
  console.log('sentences  median  ease  passive  page');
  for (const file of files.filter((each) => each.endsWith('.md'))) {
    const { sentences, median, ease, passive } = readabilityOf(readFileSync(file, 'utf8'), terms);
    const cells = [
      String(sentences).padStart(9),
      String(median).padStart(6),
      ease.toFixed(0).padStart(4),
      `${(passive * 100).toFixed(0)} %`.padStart(7),
    ];
    console.log(`${cells.join('  ')}  ${file}`);
  }
  return 0;
}

const given = process.argv.slice(2);
const paths = given.filter((word) => !word.startsWith('--'));
const files = paths.length === 0 ? heldFiles() : paths.flatMap(filesOf);
process.exitCode = given.includes('--measure') ? measure(files) : report(files);
