#!/usr/bin/env node
// Reads TAP on standard input and prints the report of report.js.
import { Parser } from 'tap-parser';
import { summary, watchFiles } from './report.ts';

const root = new Parser();
watchFiles(root);
root.on('complete', ({ ok }) => {
  console.log(summary());
  process.exitCode = ok ? 0 : 1;
});
process.stdin.pipe(root);
