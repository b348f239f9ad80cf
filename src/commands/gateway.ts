import type { Command } from 'commander';
import { LAST_REQUESTS } from '../base/last-requests.ts';
import { CannotListen } from '../base/listen.ts';
import { buildLog } from '../base/log.ts';
import { printableValue } from '../base/printable.ts';
import { stopOnSignal } from '../base/shutdown.ts';
import { WatchedFiles } from '../base/watch-files.ts';
import { formatProblems, type Loaded, loadGatewayConfig } from '../config/load/load.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { runTests } from '../gateway/explain/run-tests.ts';
import { CannotStart } from '../gateway/lifecycle/kept-nonces.ts';
import { startByWorkers } from '../supervisor/start.ts';
import { gatewayOption } from './common/config-option.ts';
import { followFile } from './common/follow-file.ts';
import { remindOfShadow } from './common/forgotten-shadow.ts';

/** `gatehouse gateway --config FILE`: loads, builds, listens, and stops in order. */
export function register(program: Command): void {
  program
    .command('gateway')
    .description('run the gateway in front of the upstreams of FILE')
    .addOption(gatewayOption())
    .action(run);
}

async function run({ config: file }: { config: string }): Promise<void> {
  const files = new WatchedFiles();
  const load = () => loadWatched(file, files);
  const loaded = load();
  const problems = loaded.ok ? await runTests(loaded) : loaded.problems;
  if (!loaded.ok || problems.length > 0) {
    process.stderr.write(formatProblems(problems));
    process.exitCode = 1;
    return;
  }
  await serve(loaded, { load, read: () => loadGatewayConfig(file), files, file });
}

/** A rejected file may not name all its files yet. So the files of the active configuration stay watched. */
function loadWatched(file: string, files: WatchedFiles): Loaded<GatewayConfig> {
  const before = files.clear();
  const loaded = loadGatewayConfig(file, process.env, files);
  if (!loaded.ok) for (const each of before) files.add(each);
  return loaded;
}

/** The source of the configuration, and of each reload. */
interface Source {
  readonly file: string;
  readonly load: () => Loaded<GatewayConfig>;
  /** Reads the file, and changes nothing about which files are watched. */
  readonly read: () => Loaded<GatewayConfig>;
  readonly files: WatchedFiles;
}

/** Runs the loaded configuration until a signal ends it. */
export async function serve(loaded: Extract<Loaded<GatewayConfig>, { ok: true }>, source?: Source): Promise<void> {
  const { config, directory, locate } = loaded;
  if (loaded.warnings.length > 0) process.stderr.write(formatProblems(loaded.warnings));
  const log = buildLog(config.log);
  try {
    const starting = startByWorkers({ config, directory, locate, ...source, log });
    // A request may be answered before everything has started. So the handler is set first.
    stopOnSignal({ stop: async () => (await starting).stop(LAST_REQUESTS), deadline: config.shutdown.deadline, log });
    const gateway = await starting;
    const { url, adminUrl: admin, healthUrl: health, decisionUrl: decision, grpcAddress: grpc } = gateway;
    log.info({ url, admin, health, decision, grpc, receiver: gateway.receiverUrl }, 'gateway is listening');
    if (source !== undefined) remindOfShadow(source.file, log);
    if (source !== undefined && gateway.reload) followFile({ files: source.files, reload: gateway.reload, log });
  } catch (error) {
    if (!(error instanceof CannotListen || error instanceof CannotStart)) throw error;
    process.stderr.write(`gatehouse: ${printableValue(error.message)}\n`);
    process.exitCode = 1;
  }
}
