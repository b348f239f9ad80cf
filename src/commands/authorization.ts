import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Authorization, buildAuthorization } from '../authorization/authorization.ts';
import { openStore } from '../authorization/open-service.ts';
import { systemClock } from '../base/clock.ts';
import { LAST_REQUESTS } from '../base/last-requests.ts';
import { CannotListen } from '../base/listen.ts';
import { buildLog } from '../base/log.ts';
import { stopOnSignal } from '../base/shutdown.ts';
import { storagePlace } from '../base/storage-urls.ts';
import { formatProblems, loadAuthorizationConfig } from '../config/load/load.ts';
import type { AuthorizationConfig } from '../config/schema/authorization.ts';
import { maskPasswords } from '../config/yaml/frame.ts';
import { StorageUnavailable, StorageUnusable } from '../storage/engine/errors.ts';
import { storeState } from '../storage/store-state.ts';
import { authorizationOption } from './common/config-option.ts';

export function register(program: Command): void {
  program
    .command('authorization')
    .description('run the authorization service')
    .addOption(authorizationOption())
    .option('--migrate-only', 'create or migrate the database, then exit')
    .action(run);
}

async function run(options: { config: string; migrateOnly?: true }): Promise<void> {
  const loaded = loadAuthorizationConfig(options.config);
  if (!loaded.ok) return giveUp(formatProblems(loaded.problems));
  const { config, directory, warnings } = loaded;
  process.stderr.write(formatProblems(warnings));
  const log = buildLog(config.log);
  let authorization: Authorization | undefined;
  try {
    if (options.migrateOnly) return await migrate(config, directory);
    authorization = await buildAuthorization(config, { directory, log });
    const { stop } = authorization;
    stopOnSignal({ stop: () => stop(LAST_REQUESTS), deadline: config.shutdown.deadline, log });
    log.info(await authorization.start(), `the authorization service ${config.issuer} is ready`);
  } catch (error) {
    giveUp(explain(error));
    await authorization?.stop();
    process.exit();
  }
}

async function migrate(config: AuthorizationConfig, directory: string): Promise<void> {
  // If the store cannot be opened, `openService` reports the fault with its place.
  const before = await stateOf(config, directory).catch(() => 'up to date');
  await (await openStore(config, { directory, clock: systemClock })).close();
  process.stdout.write(`${maskPasswords(config.storage)} is ${before}.\n`);
}

/** Describes what happens to the database. A database on a server exists before its tables do. */
async function stateOf({ storage }: AuthorizationConfig, directory: string): Promise<string> {
  if (isNotMadeYet(storage, directory)) return 'created';
  const { isEmpty, missing } = await storeState(storage, { directory, clock: systemClock });
  if (isEmpty) return 'created';
  return missing === 0 ? 'up to date' : `migrated to the version of this program, in ${missing} steps`;
}

function isNotMadeYet(storage: string, directory: string): boolean {
  const place = storagePlace(storage);
  if (place?.kind === 'file') return !existsSync(resolve(directory, place.path));
  return place?.kind === 'memory';
}

function giveUp(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}

/** A fault that the operator can fix is one line. Any other error is a bug, and keeps its stack. */
function explain(error: unknown): string {
  if (error instanceof CannotListen || error instanceof StorageUnusable) return `gatehouse: ${error.message}\n`;
  if (error instanceof StorageUnavailable) return `gatehouse: ${reasons(error)}\n`;
  return `gatehouse: ${error instanceof Error ? error.stack : String(error)}\n`;
}

/** The message of the store, then the messages of the database, which say why. */
function reasons(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${reasons(error.cause)}` : error.message;
}
