import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { readText } from '../config/files/read-text.ts';
import { formatProblems, loadAuthorizationConfig, loadGatewayConfig } from '../config/load/load.ts';
import { detectKind } from '../config/yaml/detect.ts';
import { askReady, type ProgramReadiness } from './common/ask-ready.ts';
import { eitherOption } from './common/config-option.ts';
import type { AskedListener } from './common/listener-url.ts';
import { waitOption } from './common/wait-option.ts';

/** `gatehouse health --config FILE`: exit 0 if the program of this file is ready. For Docker and probes. */
export function register(program: Command): void {
  program
    .command('health')
    .description('exit 0 if the program of this configuration is ready')
    .addOption(eitherOption(', with a `health` or an `admin` listener'))
    .addOption(waitOption('ask until the program is ready, or until this time has passed (30s by default)'))
    .action(run);
}

async function run({ config: file, wait = 0 }: { config: string; wait?: number }): Promise<void> {
  const loaded = isAuthorization(file) ? loadAuthorizationConfig(file) : loadGatewayConfig(file);
  if (!loaded.ok) return unhealthy(formatProblems(loaded.problems));
  const listener = loaded.config.health ?? loaded.config.admin;
  if (listener === undefined) {
    return unhealthy(`${file} has no listener to ask: add \`health: 127.0.0.1:9900\` (or \`admin: …\`).\n`);
  }
  const { config, directory } = loaded;
  const answer = await withCause(await askUntilReady(listener, directory, wait), config, directory);
  if (answer.kind === 'silent') return unhealthy(`Nothing answers at ${answer.url}.\n`);
  if (answer.kind === 'not_ready') return unhealthy(`${answer.text}\n`);
  process.stdout.write(`${answer.text}\n`);
}

/** Milliseconds between two questions. */
const PAUSE = 100;

/** Asks until the program is ready, or for `wait` milliseconds. Returns the last answer. */
async function askUntilReady(listener: AskedListener, directory: string, wait: number): Promise<ProgramReadiness> {
  const end = performance.now() + wait;
  for (;;) {
    const answer = await askReady(listener, directory);
    if (answer.kind === 'ready' || performance.now() + PAUSE > end) return answer;
    await pause(PAUSE);
  }
}

/** A `health` listener that strangers can reach does not show the cause. The admin listener shows it. */
async function withCause(
  answer: ProgramReadiness,
  { admin, health }: Listeners,
  directory: string,
): Promise<ProgramReadiness> {
  if (answer.kind !== 'not_ready' || answer.cause !== undefined || admin === undefined || health === undefined)
    return answer;
  const told = await askReady(admin, directory);
  return told.kind === 'not_ready' ? told : answer;
}

interface Listeners {
  readonly admin?: AskedListener | undefined;
  readonly health?: AskedListener | undefined;
}

/** The loader reports a file that cannot be read. */
function isAuthorization(file: string): boolean {
  const read = readText(file, { waits: true });
  return read.ok && detectKind(read.text) === 'authorization';
}

function unhealthy(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}
