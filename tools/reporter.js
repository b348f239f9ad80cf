#!/usr/bin/env node
// Reads TAP on standard input: a line for each file, every failing block whole, what a test tells of its figures, every
// skip with its reason, and `N passed, N failed, N skipped` as the last line. A test is a titled block of a test file.
import { Parser } from 'tap-parser';

/** What tap says of itself in comments. */
const OF_TAP = /^# (Subtest|time=|timeout=|\{)/;

const counts = { passed: 0, failed: 0, skipped: 0 };
const skips = [];

const root = new Parser();
root.on('child', (file) => {
  const lines = [];
  watch(file, [], lines);
  file.on('complete', () => {
    for (const line of lines) console.log(line);
  });
});
root.on('assert', (result) => {
  const time = result.time === undefined ? '' : ` ${Math.round(result.time)} ms`;
  console.log(`${result.ok ? 'ok  ' : 'FAIL'} ${result.name}${time}`);
  if (result.skip) count(result, [result.name]);
  if (!result.ok && result.diag) console.log(indent(describe(result.diag).text));
});
root.on('complete', () => {
  for (const skip of skips) console.log(`skipped: ${skip}`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
});
process.stdin.pipe(root);

/** Follows one test block; the blocks directly in a file are the tests that are counted. */
function watch(parser, path, lines) {
  const blocks = new Set();
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
    // A block that failed only because a test inside it did has nothing to add.
    if (!blocks.has(result.name) || why.message !== '')
      lines.push(`  not ok ${[...path, result.name].join(' › ')}\n${indent(why.text)}`);
  });
}

function count(result, path) {
  if (result.skip) {
    counts.skipped++;
    skips.push(`${path.join(' › ')} # ${typeof result.skip === 'string' ? result.skip : 'no reason given'}`);
  } else if (result.ok) counts.passed++;
  else counts.failed++;
}

function describe({ stack, at, source, diff, stdio, cwd, externalID, command, args, ...rest }) {
  const facts = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2);
  const place = at ? `at ${at.fileName ?? at.file}:${at.lineNumber ?? at.line}` : '';
  return { message: diff ?? facts, text: [diff, facts, place, source, stack].filter(Boolean).join('\n') };
}

function indent(text) {
  return text.replace(/^/gm, '      ');
}
