// `npm run bench -- gateway|routes|http-auth|authorization|user-keys|user-keys-gateway|workers [--rounds N] [--seconds N] [--connections N] [--json]`
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchAuthorization } from './authorization.ts';
import { authorizationTable } from './authorization-report.ts';
import { accepts, cpuTime, start, stop } from './children.ts';
import { type Contender, commands, contenders, type Program } from './contenders.ts';
import { benchHttpAuth, httpAuthTable } from './http-auth.ts';
import { fingerprints, type Place, prepare, shared } from './place.ts';
import { type Run, summarize, table } from './report.ts';
import { benchRoutes, routeTable } from './routes.ts';
import { isTool } from './tools.ts';
import { benchUserKeys, userKeyTable } from './user-keys.ts';
import { benchUserKeysGateway, userKeysGatewayTable } from './user-keys-gateway.ts';
import { benchWorkers, workersTable } from './workers/bench.ts';
import { wrk } from './wrk.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const seconds = count('seconds');
const DEFAULT_CONNECTIONS: Readonly<Record<string, string>> = { authorization: '64' };
values.connections ??= DEFAULT_CONNECTIONS[positionals[0] ?? ''] ?? '32';
const connections = count('connections');
const WARM_UP = 2;

function count(name: 'rounds' | 'seconds' | 'connections'): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) fail(`--${name} is a whole number from 1`, 2);
  return value;
}

function fail(message: string, status = 1): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(status);
}

/** Progress goes to standard error, so that `--json` can be piped. */
function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

function checkTools(tools = ['wrk', 'nginx']): void {
  for (const tool of tools) if (!isTool(tool)) fail(`${tool} is not installed: apt-get install ${tool}`);
}

async function checkMachine(): Promise<void> {
  if (!existsSync(shared)) fail('the contenders are not present: ../shared/bench');
  checkTools();
  for (const port of [
    9000,
    ...Object.values(commands).flatMap(
      (command) => command({ folder: '', scripts: '', tokens: { HS256: '', ES256: '' }, remove() {} }).ports,
    ),
  ]) {
    if (await accepts(port)) fail(`port ${port} is taken: stop what listens there`);
  }
}

async function measure({ name, url, token }: Contender, child: ChildProcess, place: Place): Promise<Run> {
  const before = cpuTime(child.pid as number);
  const measured = await wrk({ url, token: place.tokens[token], seconds, connections });
  const cpu = (cpuTime(child.pid as number) - before) / measured.requests;
  return { name, ...measured, cpu };
}

/** Rounds are interleaved, so that whatever else the machine does befalls all alike. */
async function runRounds(
  list: readonly Contender[],
  programs: ReadonlyMap<Program, ChildProcess>,
  place: Place,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { name, url, token } of list) {
    say(`warming up: ${name}`);
    await wrk({ url, token: place.tokens[token], seconds: WARM_UP, connections });
  }
  for (let round = 1; round <= count('rounds'); round++) {
    for (const contender of list) {
      const run = await measure(contender, programs.get(contender.program) as ChildProcess, place);
      say(
        `round ${round}: ${run.name}: ${run.cpu.toFixed(1)} µs a request, ${run.perSecond.toFixed(0)} requests a second`,
      );
      runs.push(run);
    }
  }
  return runs;
}

async function benchGateway(): Promise<void> {
  await checkMachine();
  const place = await prepare();
  const list = contenders();
  const programs = new Map<Program, ChildProcess>();
  const children: ChildProcess[] = [];
  try {
    children.push(await start(commands.upstream(place)));
    for (const program of new Set(list.map((each) => each.program))) {
      const child = await start(commands[program](place));
      children.push(child);
      programs.set(program, child);
    }
    report(await runRounds(list, programs, place));
  } finally {
    await Promise.all(children.map(stop));
    place.remove();
  }
}

function report(runs: readonly Run[]): void {
  const results = summarize(runs);
  const files = fingerprints();
  if (values.json)
    process.stdout.write(
      `${JSON.stringify({ node: process.version, seconds, connections, results, runs, files }, undefined, 2)}\n`,
    );
  else
    process.stdout.write(
      `\n${table(results)}\n\nSHA-256 of the contenders\n${Object.entries(files)
        .map(([name, hash]) => `${hash}  ${name}`)
        .join('\n')}\n`,
    );
}

async function runRoutes(): Promise<void> {
  checkTools();
  const report = await benchRoutes({ rounds: count('rounds'), seconds, connections, say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, seconds, connections, ...report }, undefined, 2)}\n`
      : `\n${routeTable(report.results)}\n`,
  );
}

async function runAuthorization(): Promise<void> {
  checkTools(['wrk']);
  const report = await benchAuthorization({ rounds: count('rounds'), seconds, connections, say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, seconds, connections, ...report }, undefined, 2)}\n`
      : `\n${authorizationTable(report)}\n`,
  );
}

async function runHttpAuth(): Promise<void> {
  checkTools();
  const report = await benchHttpAuth({ rounds: count('rounds'), seconds, connections, say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, seconds, connections, ...report }, undefined, 2)}\n`
      : `\n${httpAuthTable(report)}\n`,
  );
}

async function runUserKeys(): Promise<void> {
  const report = await benchUserKeys({ rounds: count('rounds'), say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, ...report }, undefined, 2)}\n`
      : `\n${userKeyTable(report)}\n`,
  );
}

async function runUserKeysGateway(): Promise<void> {
  checkTools();
  const report = await benchUserKeysGateway({ rounds: count('rounds'), seconds, connections, say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, seconds, connections, ...report }, undefined, 2)}\n`
      : `\n${userKeysGatewayTable(report)}\n`,
  );
}

async function runWorkers(): Promise<void> {
  checkTools(['wrk']);
  const report = await benchWorkers({ rounds: count('rounds'), seconds, connections, say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, seconds, connections, ...report }, undefined, 2)}\n`
      : `\n${workersTable(report)}\n`,
  );
}

const benches: Readonly<Record<string, () => Promise<void>>> = {
  gateway: benchGateway,
  routes: runRoutes,
  'http-auth': runHttpAuth,
  authorization: runAuthorization,
  'user-keys': runUserKeys,
  'user-keys-gateway': runUserKeysGateway,
  workers: runWorkers,
};
const bench = benches[positionals[0] ?? 'gateway'];
if (bench === undefined || positionals.length > 1) fail(`the benchmarks are: ${Object.keys(benches).join(', ')}`, 2);
await bench().catch((error: Error) => fail(error.message));
