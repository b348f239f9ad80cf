import type { Command } from 'commander';
import { CannotListen } from '../base/listen.ts';
import { buildLog } from '../base/log.ts';
import { stopOnSignal } from '../base/shutdown.ts';
import { standardOutput } from '../base/turn-lines.ts';
import { startDemo } from '../demo/demo.ts';
import type { Ports } from '../demo/files.ts';
import { requestLines } from '../demo/request-lines.ts';
import { portNumber } from './common/port-number.ts';

/** `gatehouse demo`: everything in one process, with requests to paste. */
export function register(program: Command): void {
  program
    .command('demo')
    .description(
      'gateway, authorization service, a sample API and a client page in one process, with requests to paste',
    )
    .option('--gateway <port>', 'port of the gateway', portNumber, 8080)
    .option('--authorization <port>', 'port of the authorization service', portNumber, 8081)
    .option('--api <port>', 'port of the sample API', portNumber, 9000)
    .option('--client <port>', 'port of the client page', portNumber, 8082)
    .option('--admin <port>', "port of the gateway's admin listener", portNumber, 9901)
    .option('--health <port>', "port of the gateway's health listener", portNumber, 9900)
    .action(run);
}

const DEADLINE = 5000;

async function run(ports: Ports): Promise<void> {
  const log = process.stdout.isTTY
    ? buildLog({ level: 'debug', format: 'json' }, requestLines(standardOutput()))
    : buildLog({ level: 'info', format: 'json' });
  try {
    const demo = await startDemo(ports, log);
    process.stdout.write(`${demo.guide}\n`);
    stopOnSignal({ stop: demo.stop, deadline: DEADLINE, log });
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    process.stderr.write(
      `gatehouse demo: ${error.message} (other ports: --gateway 18080 --authorization 18081 --api 19000 --client 18082 --admin 19901 --health 19900)\n`,
    );
    process.exitCode = 1;
  }
}
