// The report of a test run: a line for each file, every failing block in full, the figures that tests print, every skip
// with its reason, and `N passed, N failed, N skipped` as the last line. A test is a titled block of a test file.
import type { Parser, Result } from 'tap-parser';

/** What tap says about itself in comments. */
const OF_TAP = /^# (Subtest|time=|timeout=|\{)/;

const counts = { passed: 0, failed: 0, skipped: 0 };
const skips: string[] = [];
/** Files, and their milliseconds. */
const times: { readonly name: string; readonly time: number }[] = [];

/** The last lines of a run. Later output counts as a separate run. */
export function summary(): string {
  const slow = slowest().map(({ name, time }) => `slow: ${(time / 1000).toFixed(1)} s ${name}`);
  const total = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  const lines = [...skips.map((skip) => `skipped: ${skip}`), ...slow, ...ofEnvoy(), total];
  Object.assign(counts, { passed: 0, failed: 0, skipped: 0 });
  skips.length = 0;
  times.length = 0;
  return lines.join('\n');
}

/** docs/promises.md has the figure of the last run. */
function ofEnvoy(): readonly string[] {
  const files = times.filter(({ name }) => /test[\\/]envoy[\\/]/.test(name));
  const seconds = files.reduce((sum, { time }) => sum + time, 0) / 1000;
  return files.length === 0 ? [] : [`test/envoy: ${seconds.toFixed(0)} s of at most 300 s, in ${files.length} files`];
}

/** The ten slowest files of a run with many files. */
function slowest(): readonly { readonly name: string; readonly time: number }[] {
  return times.length <= 10 ? [] : times.sort((one, other) => other.time - one.time).slice(0, 10);
}

/** A failure outside of TAP. */
export function failed(what: string): void {
  counts.failed++;
  console.log(`FAIL ${what}`);
}

/** `root`: a TAP parser in which each block is a file. */
export function watchFiles(root: Parser): void {
  root.on('child', (file) => {
    const lines: string[] = [];
    watch(file, [], lines);
    file.on('complete', () => {
      for (const line of lines) console.log(line);
    });
  });
  root.on('assert', fileEnded);
}

/** The summary of a file, as tap prints it at the file's end. */
function fileEnded(result: Result): void {
  timed(result.name, result.time);
  const time = result.time === undefined ? '' : ` ${Math.round(result.time ?? 0)} ms`;
  console.log(`${result.ok ? 'ok  ' : 'FAIL'} ${result.name}${time}`);
  if (result.skip) count(result, [result.name]);
  if (!result.ok && result.diag) console.log(indent(describe(result.diag).text));
}

function timed(name: string, time: number | null | undefined): void {
  times.push({ name, time: time ?? 0 });
}

/** Follows one test block. The blocks directly in a file are the tests that are counted. */
function watch(parser: Parser, path: readonly string[], lines: string[]): void {
  const blocks = new Set<string>();
  parser.on('comment', (comment) => {
    if (path.length > 0 && !OF_TAP.test(comment)) lines.push(`  ${path.join(' › ')}: ${comment.slice(2).trimEnd()}`);
  });
  parser.on('child', (child) => {
    blocks.add(child.name);
    watch(child, [...path, child.name], lines);
  });
  parser.on('assert', (result) => {
    if (path.length === 0) count(result, [parser.name, result.name]);
    if (result.ok || result.todo || result.skip) return;
    const why = describe(result.diag ?? {});
    // A block that failed only because a test inside it failed has nothing to add.
    if (!blocks.has(result.name) || why.message !== '')
      lines.push(`  not ok ${[...path, result.name].join(' › ')}\n${indent(why.text)}`);
  });
}

function count(result: Result, path: readonly string[]): void {
  if (result.skip) {
    counts.skipped++;
    skips.push(`${path.join(' › ')} # ${typeof result.skip === 'string' ? result.skip : 'no reason given'}`);
  } else if (result.ok) counts.passed++;
  else counts.failed++;
}

/** tap's own description of a failure. */
interface Diagnosis {
  readonly diff?: string;
  readonly stack?: string;
  readonly source?: string;
  readonly at?: {
    readonly fileName?: string;
    readonly file?: string;
    readonly lineNumber?: number;
    readonly line?: number;
  };
  readonly [other: string]: unknown;
}

function describe({ stack, at, source, diff, stdio, cwd, externalID, command, args, ...rest }: Diagnosis): {
  readonly message: string;
  readonly text: string;
} {
  const facts = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2);
  const place = at ? `at ${at.fileName ?? at.file}:${at.lineNumber ?? at.line}` : '';
  return { message: diff ?? facts, text: [diff, facts, place, source, stack].filter(Boolean).join('\n') };
}

function indent(text: string): string {
  return text.replace(/^/gm, '      ');
}
