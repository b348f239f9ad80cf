import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { printableValue } from '../../base/printable.ts';
import type { Loaded, Problem } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { type Openings, openings } from '../diff/openings.ts';
import { runTests } from '../explain/run-tests.ts';
import type { Generation, Replaced } from '../generation/generation.ts';
import { type RouteChanges, routeChanges } from '../routing/route-changes.ts';
import { keepFixed } from './fixed-settings.ts';
import { tightenedAtRestart } from './tightened.ts';

export type LoadedGateway = Extract<Loaded<GatewayConfig>, { ok: true }>;

export interface Reloading {
  /** Reads the file again. */
  readonly load: () => Loaded<GatewayConfig>;
  readonly live: { current: Generation; replaced?: Replaced | undefined };
  readonly build: (loaded: LoadedGateway) => Generation;
  /** Prepares everything that the next generation needs. If it returns a problem, the active configuration stays. */
  readonly ready: (next: Generation, loaded: LoadedGateway) => Promise<readonly Problem[]>;
  /** Runs after the new configuration is active. */
  readonly taken?: () => Promise<void>;
  /** Applies the new file's settings to the listener. */
  readonly apply: (config: GatewayConfig) => void;
  /** Reloads certificates even if the file is rejected, because they expire anyway. */
  readonly renew: () => void;
  /** Undefined: files are not watched. */
  readonly files?: FollowedFiles | undefined;
  readonly stats: ReloadStats;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `change`: a file changed on disk, and its writer may not have finished. */
export type ReloadCause = 'asked' | 'change';

/** The files that a configuration is made of. */
export interface FollowedFiles {
  /** Files that were written in place since `settle`: they may be incomplete. */
  written(): readonly string[];
  /** The loaded file is active. */
  settle(): void;
}

/** The results of reloads since the start. The first load counts as a success, but not as a reload. */
export interface ReloadStats {
  success: number;
  failure: number;
  lastSuccessful: boolean;
  /** The file on disk allows more access than the active file. It is loaded on request only. */
  waiting: boolean;
  /** Wall clock, milliseconds. */
  lastSuccess: number;
}

export type Reloaded =
  | {
      readonly ok: true;
      readonly routes: RouteChanges;
      /** Settings whose new value needs a restart. */
      readonly restart: readonly string[];
      /** New access that the file gives, in words. */
      readonly opened: readonly string[];
      readonly warnings: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly waiting?: true };

/** Without a cause, it is a requested reload. */
export type Reload = (cause?: ReloadCause) => Promise<Reloaded>;

/** Replaces the whole configuration, or nothing. One reload runs at a time, with the file's current content. */
export function buildReload(reloading: Reloading): Reload {
  let last: Promise<unknown> = Promise.resolve();
  return (cause = 'asked') => {
    const next = last.then(() => attempt(reloading, cause));
    last = next;
    return next;
  };
}

async function attempt(reloading: Reloading, cause: ReloadCause): Promise<Reloaded> {
  const result = await reload(reloading, cause).catch((error: unknown) => broken(reloading, error));
  reloading.renew();
  count(reloading, result);
  tell(reloading.log, result);
  return result;
}

async function reload(reloading: Reloading, cause: ReloadCause): Promise<Reloaded> {
  const loaded = await judge(reloading);
  if (!loaded.ok) return loaded;
  const tightened = tightenedAtRestart(reloading.live.current.config, loaded);
  if (tightened.length > 0) return { ok: false, problems: tightened };
  const { config } = keepFixed(reloading.live.current.config, loaded.config);
  const opens = await openings({ config: reloading.live.current.config }, { ...loaded, config });
  const written = cause === 'change' ? (reloading.files?.written() ?? []) : [];
  if (written.length > 0 && opens.opened.length + opens.doubtful.length > 0) return waits(written, opens);
  return replace(reloading, loaded, opens.opened);
}

/** A half-written file may be valid, and open what its other half protects. */
function waits(written: readonly string[], { opened, doubtful }: Openings): Reloaded {
  const told = [
    `${written.join(', ')} was written in place, so it may be incomplete, and it ${opened.length > 0 ? 'opens' : 'may open'} new access`,
    'load it by SIGHUP or POST /reload; or write a new file and rename it',
    ...opened.map((each) => `opens: ${each}`),
    ...doubtful.map((each) => `may open: ${each}`),
  ];
  return { ok: false, waiting: true, problems: told.map(problemOfAll) };
}

function problemOfAll(message: string): Problem {
  return { severity: 'error', file: '', line: 0, column: 0, message };
}

/** An exception is a defect of the gateway. The active configuration stays. */
function broken({ log }: Reloading, error: unknown): Reloaded {
  log.error({ err: error }, 'internal error');
  return { ok: false, problems: [problemOfAll('internal error: see the log')] };
}

/** Checks everything that must be true before a file becomes active. */
async function judge({ load }: Reloading): Promise<Loaded<GatewayConfig>> {
  const loaded = load();
  const failed = loaded.ok ? await runTests(loaded) : [];
  return failed.length === 0 ? loaded : { ok: false, problems: failed };
}

/** Keys of new servers are fetched first, so that the first request under the new file need not wait. */
async function replace(reloading: Reloading, loaded: LoadedGateway, opened: readonly string[]): Promise<Reloaded> {
  const { live, log, clock } = reloading;
  const old = live.current;
  const { config, kept } = keepFixed(old.config, loaded.config);
  const next = reloading.build({ ...loaded, config });
  const problems = await reloading.ready(next, { ...loaded, config });
  if (problems.length > 0) {
    next.lease.release();
    return { ok: false, problems };
  }
  live.current = next;
  live.replaced = { config: old.config, at: clock.now() };
  old.term.release();
  reloading.apply(config);
  await reloading.taken?.();
  reloading.files?.settle();
  old.lease.onEnd(() => log.debug('the previous generation has ended'));
  old.lease.release();
  const routes = routeChanges(old.config.routes, config.routes);
  return { ok: true, routes, restart: kept, opened, warnings: loaded.warnings };
}

function count({ stats, clock }: Reloading, result: Reloaded): void {
  const { ok } = result;
  stats.waiting = !result.ok && result.waiting === true;
  stats[ok ? 'success' : 'failure']++;
  stats.lastSuccessful = ok;
  if (ok) stats.lastSuccess = clock.now();
}

function tell(log: Logger, result: Reloaded): void {
  if (!result.ok && result.waiting) {
    log.warn(
      { problems: result.problems.map(line) },
      'the configuration waits for a reload request; the previous one stays active',
    );
    return;
  }
  if (!result.ok) {
    log.error({ problems: result.problems.map(line) }, 'the configuration was rejected; the previous one stays active');
    return;
  }
  for (const warning of result.warnings) log.warn({ at: line(warning) }, 'configuration');
  for (const key of result.restart) log.warn({ key }, `\`${key}\` changes only with a restart`);
  if (result.opened.length > 0)
    log.warn({ opened: result.opened.map(printableValue) }, 'the new configuration allows more access');
  log.info({ routes: result.routes }, 'the configuration is reloaded');
}

function line({ file, line, column, message }: Problem): string {
  return printableValue(line === 0 ? message : `${file}:${line}:${column}: ${message}`);
}
