import type { Command } from 'commander';
import { CannotListen } from '../base/listen.ts';
import { buildLog } from '../base/log.ts';
import { stopOnSignal } from '../base/shutdown.ts';
import type { GatewayConfig } from '../config/gateway.ts';
import { formatProblems, type Loaded, loadGatewayConfig } from '../config/load.ts';
import { startGateway } from '../gateway/start.ts';

/** `gatehouse gateway --config FILE`: load, build, listen, and stop in order. */
export function register(program: Command): void {
  program
    .command('gateway')
    .description('run the gateway in front of the upstreams of FILE')
    .requiredOption('--config <file>', 'gateway.yaml')
    .action(run);
}

async function run({ config: file }: { config: string }): Promise<void> {
  const loaded = loadGatewayConfig(file);
  if (!loaded.ok) {
    process.stderr.write(formatProblems(loaded.problems));
    process.exitCode = 1;
    return;
  }
  await serve(loaded);
}

/** Runs what was loaded until a signal ends it. */
export async function serve(loaded: Extract<Loaded<GatewayConfig>, { ok: true }>): Promise<void> {
  const { config, directory, locate } = loaded;
  if (loaded.warnings.length > 0) process.stderr.write(formatProblems(loaded.warnings));
  const log = buildLog(config.log);
  try {
    const gateway = await startGateway({ config, directory, locate, log });
    log.info({ url: gateway.url, admin: gateway.adminUrl, health: gateway.healthUrl }, 'gateway is listening');
    stopOnSignal({ stop: gateway.stop, deadline: config.shutdown.deadline, log });
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    process.stderr.write(`gatehouse: ${error.message}\n`);
    process.exitCode = 1;
  }
}
