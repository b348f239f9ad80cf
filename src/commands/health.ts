import type { Command } from 'commander';
import { request } from 'undici';
import { formatProblems, loadGatewayConfig } from '../config/load.ts';
import { listenerUrl } from './listener-url.ts';
import { ofAuthorization } from './of-authorization.ts';

/** `gatehouse health --config FILE`: exit 0 when the gateway of this file is ready; for Docker and probes. */
export function register(program: Command): void {
  program
    .command('health')
    .description('exit 0 when the gateway of this configuration is ready')
    .requiredOption('--config <file>', 'gateway.yaml, with a `health` or an `admin` listener')
    .action(run);
}

const PATIENCE = 2000;

async function run({ config: file }: { config: string }): Promise<void> {
  const other = ofAuthorization(
    file,
    'ask /readyz of its `health` or `admin` listener: curl -f http://127.0.0.1:9902/readyz',
  );
  if (other !== undefined) return unhealthy(other);
  const loaded = loadGatewayConfig(file);
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

function unhealthy(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}
