import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { request } from 'undici';
import { detectKind } from '../config/detect.ts';
import { formatProblems, loadAuthorizationConfig, loadGatewayConfig } from '../config/load.ts';
import { listenerUrl } from './listener-url.ts';

/** `gatehouse health --config FILE`: exit 0 when the program that runs by this file is ready; for Docker and probes. */
export function register(program: Command): void {
  program
    .command('health')
    .description('exit 0 when the program of this configuration is ready')
    .requiredOption('--config <file>', 'gateway.yaml or authorization.yaml, with a `health` or an `admin` listener')
    .action(run);
}

const PATIENCE = 2000;

async function run({ config: file }: { config: string }): Promise<void> {
  const loaded = isAuthorization(file) ? loadAuthorizationConfig(file) : loadGatewayConfig(file);
  if (!loaded.ok) return unhealthy(formatProblems(loaded.problems));
  const listener = loaded.config.health ?? loaded.config.admin;
  if (listener === undefined) {
    return unhealthy(`${file} has no listener to ask: add \`health: 127.0.0.1:9900\` (or \`admin: …\`).\n`);
  }
  const url = listenerUrl(listener, '/readyz');
  try {
    const { statusCode, body } = await request(url, { headersTimeout: PATIENCE, bodyTimeout: PATIENCE });
    const text = await body.text();
    if (statusCode !== 200) return unhealthy(`${text}\n`);
    process.stdout.write(`${text}\n`);
  } catch {
    return unhealthy(`Nothing answers at ${url}.\n`);
  }
}

/** A file that cannot be read is judged where it is loaded. */
function isAuthorization(file: string): boolean {
  try {
    return detectKind(readFileSync(file, 'utf8')) === 'authorization';
  } catch {
    return false;
  }
}

function unhealthy(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}
