// `npm run bench`: see `--help`.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benchAuthorization } from './authorization.ts';
import { authorizationTable } from './authorization-report.ts';
import { benchCost, costTable } from './cost/bench.ts';
import { benchGateway, namedParts, partNames } from './gateway/bench.ts';
import { withFigures } from './gateway/markdown.ts';
import { engines } from './gateway/part.ts';
import { picture } from './gateway/picture.ts';
import { readResults, resultsText, writeResults } from './gateway/results-file.ts';
import { gatewayText } from './gateway/text.ts';
import { benchHttpAuth, httpAuthTable } from './http-auth.ts';
import { benchIdTokens, idTokenTable } from './id-tokens.ts';
import { benchRoutes, routeTable } from './routes.ts';
import { benchShares, sharesTable } from './shares/bench.ts';
import { isTool } from './tools.ts';
import { benches, usage } from './usage.ts';
import { benchUserKeys, userKeyTable } from './user-keys.ts';
import { benchUserKeysGateway, userKeysGatewayTable } from './user-keys-gateway.ts';
import { benchVerify, verifyTable } from './verify/bench.ts';
import { benchWorkers, workersTable } from './workers/bench.ts';

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(usage(partNames));
  process.exit();
}
const seconds = count('seconds');
const DEFAULT_CONNECTIONS: Readonly<Record<string, string>> = { authorization: '64', workers: '50' };
values.connections ??= DEFAULT_CONNECTIONS[positionals[0] ?? ''] ?? '32';
const connections = count('connections');
const RESULTS = 'bench/results.json';
const PICTURE = 'docs/pictures/benchmark.svg';
const PAGE = 'bench/README.md';

function readArguments() {
  const options = {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string' },
    only: { type: 'string' },
    base: { type: 'string' },
    engine: { type: 'string', default: 'own' },
    results: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return fail(`${(error as Error).message}; --help has all options`, 2);
  }
}

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

async function runGateway(): Promise<void> {
  const only = namedParts(values.only);
  if (only === undefined) fail(`--only takes some of: ${partNames}`, 2);
  const engine = engines.find((each) => each === values.engine);
  if (engine === undefined) fail(`--engine is one of: ${engines.join(', ')}`, 2);
  const report = await benchGateway({ rounds: count('rounds'), seconds, connections, engine, say }, only);
  if (values.results !== undefined) writeResults(values.results, report);
  process.stdout.write(values.json ? resultsText(report) : `\n${gatewayText(report)}\n`);
}

/** From the results to the text in the documentation. */
async function runFigures(): Promise<void> {
  const results = readResults(values.results ?? RESULTS);
  writeFileSync(PICTURE, picture(results));
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), results));
}

async function runRoutes(): Promise<void> {
  checkTools();
  const report = await benchRoutes({ rounds: count('rounds'), seconds, connections, engine: 'undici', say });
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

async function runIdTokens(): Promise<void> {
  const report = await benchIdTokens({ rounds: count('rounds'), say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, ...report }, undefined, 2)}\n`
      : `\n${idTokenTable(report)}\n`,
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

async function runCost(): Promise<void> {
  checkTools();
  const { base } = values;
  if (base === undefined) fail('--base is the folder of the tree to compare with, with its node_modules', 2);
  const costs = await benchCost({ base: resolve(base), rounds: count('rounds'), seconds, connections, say });
  process.stdout.write(values.json ? `${JSON.stringify(costs, undefined, 2)}\n` : `\n${costTable(costs)}\n`);
}

async function runShares(): Promise<void> {
  const report = await benchShares({ rounds: count('rounds'), seconds, say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, seconds, ...report }, undefined, 2)}\n`
      : `\n${sharesTable(report)}\n`,
  );
}

async function runVerify(): Promise<void> {
  const results = await benchVerify({ rounds: count('rounds'), say });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ node: process.version, results }, undefined, 2)}\n`
      : `\n${verifyTable(results)}\n`,
  );
}

const runs: Readonly<Record<keyof typeof benches, () => Promise<void>>> = {
  gateway: runGateway,
  figures: runFigures,
  routes: runRoutes,
  'http-auth': runHttpAuth,
  authorization: runAuthorization,
  'id-tokens': runIdTokens,
  'user-keys': runUserKeys,
  'user-keys-gateway': runUserKeysGateway,
  workers: runWorkers,
  cost: runCost,
  shares: runShares,
  verify: runVerify,
};
const [name = 'gateway', ...more] = positionals;
if (!isBench(name) || more.length > 0)
  fail(`the benchmarks are: ${Object.keys(benches).join(', ')}; --help says what each measures`, 2);
await runs[name]().catch((error: Error) => fail(error.message));

function isBench(word: string): word is keyof typeof benches {
  return Object.hasOwn(benches, word);
}
