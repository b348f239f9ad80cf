import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../tools/bundle.ts';
import { imageFlags } from '../../tools/image-flags.ts';
import { buildSingle } from '../../tools/single/build.ts';
import { start as begin, type Command, cpuTime, memory, stop } from '../children.ts';
import { inTurn } from '../in-turn.ts';
import { freePorts } from '../route-place.ts';
import { folderWithPackages } from './fixed-files.ts';
import type { Bar, Part, PartBench, Round, Turn } from './part.ts';
import { measured } from './place.ts';
import { audience, buildMint } from './tokens.ts';

const ONE_CORE = 'Gatehouse, on one core';
const BARE = 'bare Node.js with an HTTP server, on one core';

export const start: Part = {
  name: 'start',
  about:
    'A sidecar has one route for JWTs, and its keys are in a file. The sidecar runs the JavaScript of the image (`npm run bundle`) with the flags of the image, or is one file (`npm run single`). A bare Node.js only answers each request with 200. The table has the time from the start of the process to the first 200 of /readyz, and the memory after 15 s without a request.',
  columns: [
    { key: 'ready', title: 'ready ms', digits: 0 },
    { key: 'cpu', title: 'CPU ms', digits: 0 },
    { key: 'rss', title: 'RSS MiB', digits: 1 },
    { key: 'pss', title: 'PSS MiB', digits: 1 },
  ],
  beside: [],
  bars: () => [
    { title: 'idle sidecar − bare Node.js, RSS in MiB', value: moreMemory, bar: 36, goal: 28 },
    { title: 'ready after start ÷ bare Node.js', value: laterReady, bar: 4.2, goal: 3.1 },
  ],
  measure,
};

const moreMemory: Bar['value'] = (round) => figure(round, ONE_CORE, 'rss') - figure(round, BARE, 'rss');
const laterReady: Bar['value'] = (round) => figure(round, ONE_CORE, 'ready') / figure(round, BARE, 'ready');

function figure(round: Round, name: string, key: string): number {
  return round(name)?.[key] ?? Number.NaN;
}

interface Sidecar {
  readonly name: string;
  readonly command: Command;
  readonly health: string;
}

async function measure({ rounds, engine, say }: PartBench): Promise<Turn[]> {
  const { folder, remove } = folderWithPackages();
  const turns: Turn[] = [];
  try {
    const sidecars = await prepare(folder, { engine, say });
    for (let round = 1; round <= rounds; round++) {
      for (const sidecar of inTurn(sidecars, round)) {
        const figures = await startOnce(sidecar);
        say(`round ${round}: ${sidecar.name}: ${figures.ready.toFixed(0)} ms, ${figures.rss.toFixed(1)} MiB`);
        turns.push({ name: sidecar.name, round, figures });
      }
    }
  } finally {
    remove();
  }
  return turns;
}

async function prepare(folder: string, { engine, say }: Pick<PartBench, 'engine' | 'say'>): Promise<Sidecar[]> {
  await build(folder);
  const single = join(folder, 'gatehouse');
  await buildSingle(single, say);
  const [port = 0, healthPort = 0] = await freePorts(2);
  writeFileSync(
    join(folder, 'keys.json'),
    JSON.stringify(buildMint({ HS256: ISSUER, ES256: ISSUER, RS256: 'https://rs.example.com' }).keys),
  );
  const config = join(folder, 'sidecar.yaml');
  writeFileSync(config, sidecarYaml({ port, healthPort, engine }));
  const gateway = ['gateway', '--config', config];
  const command = (file: string, args: readonly string[]): Command => ({ file, args, ports: [healthPort], every: 2 });
  const image = command(process.execPath, [...imageFlags, join(folder, 'bin/gatehouse.js'), ...gateway]);
  const oneFile = command(single, gateway);
  const health = `http://127.0.0.1:${healthPort}/readyz`;
  return [
    { name: BARE, command: measured(command(process.execPath, ['-e', bareServer(healthPort)])), health },
    { name: ONE_CORE, command: measured(image), health },
    { name: 'Gatehouse, on any core', command: image, health },
    { name: 'Gatehouse in one file, on one core', command: measured(oneFile), health },
    { name: 'Gatehouse in one file, on any core', command: oneFile, health },
  ];
}

function bareServer(port: number): string {
  return `require('node:http').createServer((_, response) => response.end()).listen(${port}, '127.0.0.1')`;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The part of the image that runs, built again. */
async function build(folder: string): Promise<void> {
  await bundle(join(folder, 'dist'));
  for (const name of ['bin', 'config', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
}

/** Milliseconds. V8 collects what the start left behind about eight seconds after it, if no request comes. */
const IDLE = 15_000;

async function startOnce({ command, health }: Sidecar) {
  const began = performance.now();
  const child = await begin(command);
  try {
    while (!(await isReady(health))) await pause(1);
    const ready = performance.now() - began;
    const pid = child.pid as number;
    const cpu = cpuTime(pid) / 1000;
    await pause(IDLE);
    return { ready, cpu, ...memory(pid) };
  } finally {
    await stop(child);
  }
}

async function isReady(health: string): Promise<boolean> {
  const response = await fetch(health);
  await response.arrayBuffer();
  return response.ok;
}

const ISSUER = 'https://auth.example.com';

interface SidecarOptions {
  readonly port: number;
  readonly healthPort: number;
  readonly engine: string;
}

function sidecarYaml({ port, healthPort, engine }: SidecarOptions): string {
  return `version: 1
listen: 127.0.0.1:${port}
health: 127.0.0.1:${healthPort}
authorization_servers:
  main: { issuer: "${ISSUER}", audience: "${audience}", algorithms: [ES256], jwks_file: keys.json, events: none }
upstreams:
  app: { url: "http://127.0.0.1:9000", engine: ${engine} }
defaults: { upstream: app }
routes:
  - { id: api, match: { path: "/api/{rest*}" }, scope: orders.read }
`;
}
