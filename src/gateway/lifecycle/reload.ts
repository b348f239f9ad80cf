import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { GatewayConfig } from '../../config/gateway.ts';
import type { Loaded, Problem } from '../../config/load.ts';
import { runTests } from '../dry/run-tests.ts';
import { type RouteChanges, routeChanges } from '../routing/route-changes.ts';
import { keepFixed } from './fixed-settings.ts';
import type { Generation } from './generation.ts';

export type LoadedGateway = Extract<Loaded<GatewayConfig>, { ok: true }>;

export interface Reloading {
  /** Reads the file anew. */
  readonly load: () => Loaded<GatewayConfig>;
  readonly live: { current: Generation };
  readonly build: (loaded: LoadedGateway) => Generation;
  /** Whatever must be there before it takes over; a problem, and it does not. */
  readonly ready: (next: Generation, loaded: LoadedGateway) => Promise<readonly Problem[]>;
  /** It has taken over. */
  readonly taken?: () => Promise<void>;
  /** What the listener keeps of a file follows the new one. */
  readonly apply: (config: GatewayConfig) => void;
  /** Certificates are read anew even where the file is refused: they run out whatever it says. */
  readonly renew: () => void;
  readonly stats: ReloadStats;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What became of reloading, since the start. The first load counts as a success, and as no reload. */
export interface ReloadStats {
  success: number;
  failure: number;
  lastSuccessful: boolean;
  /** Wall clock, milliseconds. */
  lastSuccess: number;
}

export type Reloaded =
  | {
      readonly ok: true;
      readonly routes: RouteChanges;
      /** Settings whose new value waits for a restart. */
      readonly restart: readonly string[];
      readonly warnings: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Replaces what the gateway serves by, whole or not at all. One reload at a time, each of the file as it then stands. */
export function buildReload(reloading: Reloading): () => Promise<Reloaded> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(() => attempt(reloading));
    last = next;
    return next;
  };
}

async function attempt(reloading: Reloading): Promise<Reloaded> {
  const result = await reload(reloading).catch((error: unknown) => broken(reloading, error));
  reloading.renew();
  count(reloading, result);
  tell(reloading.log, result);
  return result;
}

async function reload(reloading: Reloading): Promise<Reloaded> {
  const loaded = await judge(reloading);
  return loaded.ok ? replace(reloading, loaded) : loaded;
}

/** A throw is a defect of ours: what serves goes on serving. */
function broken({ log }: Reloading, error: unknown): Reloaded {
  log.error({ err: error }, 'internal error');
  const nowhere = { file: '', line: 0, column: 0 };
  return { ok: false, problems: [{ severity: 'error', ...nowhere, message: 'internal error: see the log' }] };
}

/** Everything that must hold before a file takes over. */
async function judge({ load }: Reloading): Promise<Loaded<GatewayConfig>> {
  const loaded = load();
  const failed = loaded.ok ? await runTests(loaded) : [];
  return failed.length === 0 ? loaded : { ok: false, problems: failed };
}

/** Keys of servers that are new are fetched first, so that the first request under the new file need not wait. */
async function replace(reloading: Reloading, loaded: LoadedGateway): Promise<Reloaded> {
  const { live, log } = reloading;
  const old = live.current;
  const { config, kept } = keepFixed(old.config, loaded.config);
  const next = reloading.build({ ...loaded, config });
  const problems = await reloading.ready(next, { ...loaded, config });
  if (problems.length > 0) {
    next.lease.release();
    return { ok: false, problems };
  }
  live.current = next;
  reloading.apply(config);
  await reloading.taken?.();
  old.lease.onEnd(() => log.debug('the generation before has ended'));
  old.lease.release();
  return { ok: true, routes: routeChanges(old.config.routes, config.routes), restart: kept, warnings: loaded.warnings };
}

function count({ stats, clock }: Reloading, { ok }: Reloaded): void {
  stats[ok ? 'success' : 'failure']++;
  stats.lastSuccessful = ok;
  if (ok) stats.lastSuccess = clock.now();
}

function tell(log: Logger, result: Reloaded): void {
  if (!result.ok) {
    log.error({ problems: result.problems.map(line) }, 'the configuration is refused; the one before stays in force');
    return;
  }
  for (const warning of result.warnings) log.warn({ at: line(warning) }, 'configuration');
  for (const key of result.restart) log.warn({ key }, `\`${key}\` changes only with a restart`);
  log.info({ routes: result.routes }, 'the configuration is reloaded');
}

function line({ file, line, column, message }: Problem): string {
  return line === 0 ? message : `${file}:${line}:${column}: ${message}`;
}
