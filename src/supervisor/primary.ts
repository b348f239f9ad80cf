import type { FastifyInstance } from 'fastify';
import type { Health } from '../base/health.ts';
import { listen } from '../base/listen.ts';
import type { GatewayConfig } from '../config/gateway.ts';
import type { Address } from '../config/schema.ts';
import { buildAdmin } from '../gateway/lifecycle/admin.ts';
import { type Core, openCore, withScheme } from '../gateway/lifecycle/core.ts';
import { buildGeneration } from '../gateway/lifecycle/generation.ts';
import { buildHealthListener } from '../gateway/lifecycle/health-listener.ts';
import { requireKeptNonces } from '../gateway/lifecycle/kept-nonces.ts';
import { buildReload, type Reloaded, type ReloadStats } from '../gateway/lifecycle/reload.ts';
import type { GatewayOptions, RunningGateway } from '../gateway/lifecycle/start.ts';
import { tlsOptions } from '../gateway/lifecycle/tls.ts';
import { buildCrew, type Crew } from './crew.ts';
import { type Desks, openDesks } from './desks.ts';
import { openDoor } from './door.ts';
import { feedFollowers } from './followers.ts';
import { groupCounters } from './group-counters.ts';
import { groupHealth } from './group-health.ts';
import { type MergedDecisions, mergedDecisions } from './merged-decisions.ts';
import type { SentGeneration } from './messages.ts';
import { summedMetrics } from './metrics.ts';
import { randomKeys, sentGeneration, withKeys } from './sent-generation.ts';
import { type TakeUp, takeUp } from './take-up.ts';

export interface SupervisorOptions extends GatewayOptions {
  /** How many serve; two at least. */
  readonly workers: number;
}

/** What the primary of a process group holds. */
interface Primary {
  readonly core: Core;
  readonly desks: Desks;
  readonly crew: Crew;
  readonly decisions: MergedDecisions;
  readonly keys: ReturnType<typeof randomKeys>;
  readonly state: State;
  readonly options: SupervisorOptions;
}

interface State {
  current: SentGeneration;
  draining: boolean;
}

/**
 * The primary of several workers: it holds whatever there is once (configuration, management and health listeners,
 * counters, keys, feeds), and they serve. Rejects as `startGateway` does.
 */
export async function startSupervisor(options: SupervisorOptions): Promise<RunningGateway> {
  const keys = randomKeys();
  const config = withKeys(options.config, keys);
  const { directory, locate, workers } = options;
  if (config.listen.tls !== undefined) tlsOptions({ ...config.listen, tls: config.listen.tls }, directory);
  const core = openCore({ ...options, config });
  const { clock, log } = core;
  const desks = openDesks({ clock, log, came: (desk, sent) => crew.tellAll('keys', { desk, keys: sent }) });
  const first = { version: 1, workers, directory, locate, desks: desks.open(config, directory) };
  const state: State = { current: sentGeneration(config, first), draining: false };
  const decisions = mergedDecisions((on) => crew.tellAll('watch', on));
  const followers = feedFollowers(desks);
  const counters = groupCounters(clock);
  const metrics = summedMetrics();
  const most = () => core.live.current.config.limits.connections;
  const door = await openDoor(config.listen, most, config.decision);
  const crew: Crew = buildCrew({
    size: workers,
    door,
    log,
    format: formatOf(config),
    current: () => state.current,
    handlers: (worker) => ({
      answers: {
        take: ({ key, limit }) => counters.take(key, limit),
        failures: (key) => counters.failures(key),
        fail: ({ key, window }) => counters.fail(key, window),
        useNonce: (use) => counters.useNonce(use),
        ...desks.answers,
      },
      hears: {
        decisions: decisions.show,
        follow: (desk) => followers.follow(worker(), desk),
        unfollow: (desk) => followers.unfollow(worker(), desk),
      },
    }),
    joined: ({ process: { line } }) => line.tell('watch', decisions.watchers > 0),
    left(worker) {
      followers.left(worker);
      metrics.left(worker);
    },
  });
  const primary: Primary = { core, desks, crew, decisions, keys, state, options };
  const listeners: FastifyInstance[] = [];
  const closeAll = async () => {
    await Promise.all(listeners.map((instance) => instance.close()));
    await desks.close();
    core.stalls.close();
    await core.kept.close();
  };
  const open = async (instance: FastifyInstance, address: Address): Promise<string> => {
    const url = await listen(instance, address);
    listeners.push(instance);
    return url;
  };
  try {
    const stats = { success: 0, failure: 0, lastSuccessful: true, lastSuccess: clock.now() };
    const reload = options.load && reloader(primary, options.load, stats);
    const health: Health = groupHealth({ crew, decisions, metrics, stats, isDraining: () => state.draining });
    const views = { decisions, reload };
    const adminUrl = config.admin && (await open(buildAdmin(health, core.live, views), config.admin));
    const healthUrl = config.health && (await open(buildHealthListener(health, core.live), config.health));
    await requireKeptNonces(core.live.current);
    await crew.start();
    const stop = async () => {
      state.draining = true;
      await door.close();
      await crew.drain();
      await closeAll();
    };
    const { port, decisionUrl } = door;
    return { url: withScheme(door.url, config), port, adminUrl, healthUrl, decisionUrl, reload, stop };
  } catch (error) {
    await door.close();
    await closeAll();
    throw error;
  }
}

/** A worker writes into a pipe and cannot tell. */
function formatOf({ log: { format } }: GatewayConfig): 'json' | 'pretty' {
  if (format !== 'auto') return format;
  return process.stdout.isTTY === true ? 'pretty' : 'json';
}

type Load = NonNullable<GatewayOptions['load']>;

/** A file is read and judged here, once; then every worker makes it ready, and all take it up, or none does. */
function reloader(primary: Primary, load: Load, stats: ReloadStats): () => Promise<Reloaded> {
  const { core, desks, crew, keys, state, options } = primary;
  const { clock, log, live, directory } = core;
  let under: { readonly sent: SentGeneration; readonly way: TakeUp } | undefined;
  return buildReload({
    load,
    live,
    build: (loaded) => buildGeneration(withKeys(loaded.config, keys), { ...core, locate: loaded.locate }),
    async ready(_next, { config, locate }) {
      const version = state.current.version + 1;
      const named = desks.open(config, directory);
      const sending = { version, workers: options.workers, directory, locate, desks: named };
      const sent = sentGeneration(withKeys(config, keys), sending);
      const way = takeUp(sent, crew);
      under = { sent, way };
      const problems = await way.prepare();
      // Those that are in force are open again, and the new ones are let go.
      if (problems.length > 0) desks.open(state.current.config, directory);
      return problems;
    },
    apply() {
      if (under !== undefined) state.current = under.sent;
    },
    taken: async () => under?.way.commit(),
    renew: () => {
      for (const { process } of crew.workers) void process.line.ask('renew', true, 1_000);
    },
    stats,
    clock,
    log,
  });
}
