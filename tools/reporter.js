#!/usr/bin/env node
// Reads TAP on standard input and prints what report.js says of it. `--one-process`: its blocks are those of one process.
import { Parser } from 'tap-parser';
import { summary, watchBlocks, watchFiles } from './report.ts';

const root = new Parser();
if (process.argv.includes('--one-process')) watchBlocks(root);
else watchFiles(root);
root.on('complete', ({ ok }) => {
  console.log(summary());
  process.exitCode = ok ? 0 : 1;
});
process.stdin.pipe(root);
