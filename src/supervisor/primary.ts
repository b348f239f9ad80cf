import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { ConsoleParts } from '../gateway/console/console.ts';
import { consoleParts } from '../gateway/console/console-parts.ts';
import { buildGeneration } from '../gateway/generation/generation.ts';
import { type Core, openCore, withScheme } from '../gateway/lifecycle/core.ts';
import { requireKeptNonces } from '../gateway/lifecycle/kept-nonces.ts';
import { type Management, openManagement } from '../gateway/lifecycle/management.ts';
import { openAccessLog } from '../gateway/lifecycle/open-access-log.ts';
import { type OpenedReceiver, openReceiver } from '../gateway/lifecycle/receiver.ts';
import { buildReload, type Reload, type ReloadStats } from '../gateway/lifecycle/reload.ts';
import type { GatewayOptions, RunningGateway } from '../gateway/lifecycle/start.ts';
import { limitInWords, roomForClients } from '../gateway/listener/server.ts';
import { tlsOptions } from '../gateway/listener/tls.ts';
import { brokersForTrial } from './brokers-for-trial.ts';
import { type Followers, feedFollowers } from './followers.ts';
import { groupCounters } from './group-counters.ts';
import { type GroupHealth, groupHealth } from './group-health.ts';
import type { Entrance } from './ipc-channel.ts';
import { type ListeningSockets, openListeningSockets } from './listening-sockets.ts';
import { type MergedDecisions, mergedDecisions } from './merged-decisions.ts';
import type { SentGeneration } from './messages.ts';
import { type SummedMetrics, summedMetrics } from './metrics.ts';
import { randomKeys, sentGeneration, withKeys } from './sent-generation.ts';
import { openServerBrokers, type ServerBrokers } from './server-brokers.ts';
import { type TakeUp, takeUp } from './two-phase-reload.ts';
import type { LifeOptions } from './worker-lifecycle.ts';
import { Crew } from './worker-pool.ts';

export interface SupervisorOptions extends GatewayOptions {
  /** The number of workers, at least two. */
  readonly workers: number;
}

/** The parts that the primary of a process group has. */
interface Primary {
  readonly core: Core;
  readonly desks: ServerBrokers;
  readonly door: ListeningSockets;
  readonly crew: Crew;
  readonly decisions: MergedDecisions;
  readonly console: ConsoleParts;
  readonly metrics: SummedMetrics;
  readonly keys: ReturnType<typeof randomKeys>;
  readonly state: State;
  readonly options: SupervisorOptions;
}

interface State {
  current: SentGeneration;
  draining: boolean;
  /** The metrics of all workers. None until the workers start. */
  values: GroupHealth['values'];
}

/**
 * The primary of several workers. It has everything that exists once: configuration, management and health listeners,
 * counters, keys, feeds. The workers serve requests. Rejects like `startGateway`.
 */
export async function startSupervisor(options: SupervisorOptions): Promise<RunningGateway> {
  const primary = await openPrimary(options);
  const { core, crew, door, state } = primary;
  let management: Management | undefined;
  let receiver: OpenedReceiver | undefined;
  const close = async () => {
    await Promise.all([management?.close(), receiver?.close()]);
    await closeRest(primary);
  };
  try {
    const stats = { success: 0, failure: 0, lastSuccessful: true, waiting: false, lastSuccess: core.clock.now() };
    const reload = options.load && reloader(primary, options.load, stats);
    const health = groupHealth({ ...primary, stats, refused: core.refused, isDraining: () => state.draining });
    state.values = health.values;
    management = await openManagement(health, core, { decisions: primary.decisions, console: primary.console, reload });
    await requireKeptNonces(core.live.current);
    await core.received?.start();
    receiver = await openReceiver(core, health.own);
    await crew.start();
    const stop = async (lastRequests = 0) => {
      state.draining = true;
      await door.close();
      await crew.drain(lastRequests);
      await close();
    };
    const { port, decisionUrl, grpcAddress } = door;
    const url = withScheme(door.url, core.live.current.config);
    return { url, port, decisionUrl, grpcAddress, ...management.urls, receiverUrl: receiver?.url, reload, stop };
  } catch (error) {
    await door.close();
    await close();
    throw error;
  }
}

async function openPrimary(options: SupervisorOptions): Promise<Primary> {
  const keys = randomKeys();
  const config = withKeys(options.config, keys);
  const { directory, locate, workers } = options;
  for (const { tls, ...address } of [config.listen, ...(config.decision_grpc ? [config.decision_grpc] : [])])
    if (tls !== undefined) tlsOptions({ ...address, tls }, directory);
  const core = openCore({ ...options, config });
  // The primary writes no line. It opens the log only to report an unwritable file before any client connects.
  await openAccessLog({ ...options, access: core.access });
  await core.access?.close();
  const { clock, log } = core;
  const { received } = core;
  const desks = openServerBrokers({
    clock,
    log,
    received,
    came: (desk, sent) => crew.tellAll('keys', { desk, keys: sent }),
  });
  const first = { version: 1, workers, directory, locate, desks: desks.open(config, directory) };
  const state: State = { current: sentGeneration(config, first), draining: false, values: async () => [] };
  const decisions = mergedDecisions((on) => crew.tellAll('watch', on));
  const seen = consoleParts(core, options, {
    source: { watch: (all) => crew.tellAll('audiences', all) },
    metrics: () => state.values(),
    workers,
  });
  const followers = feedFollowers(desks);
  const metrics = summedMetrics();
  const limits = () => core.live.current.config.limits;
  const most = () => limits().connections;
  const door = await openListeningSockets(config.listen, {
    most,
    room: roomForClients(),
    refused: (entrance, room) => core.refused.refuse(NAMES[entrance], () => limitInWords(limits(), room)),
    decision: config.decision,
    grpc: config.decision_grpc,
  });
  const crew = new Crew({
    size: workers,
    door,
    log,
    format: formatOf(config),
    current: () => state.current,
    handlers: handlersOf({ core, desks, decisions, console: seen, followers }),
    joined({ process: { line } }) {
      line.tell('watch', decisions.watchers > 0);
      line.tell('audiences', seen.hub.audiences);
    },
    left(worker) {
      followers.left(worker);
      metrics.left(worker);
    },
  });
  return { core, desks, door, crew, decisions, console: seen, metrics, keys, state, options };
}

/** The listeners by their keys in the file. */
const NAMES: Readonly<Record<Entrance, string>> = { listen: 'listen', decision: 'decision', grpc: 'decision.grpc' };

type Served = Pick<Primary, 'core' | 'desks' | 'decisions' | 'console'> & { readonly followers: Followers };

/** Handles requests and messages of the workers. */
function handlersOf({ core, desks, decisions, console: { hub }, followers }: Served): LifeOptions['handlers'] {
  const counters = groupCounters(core.clock);
  return (worker) => ({
    answers: {
      take: ({ key, limit }) => counters.take(key, limit),
      failures: (key) => counters.failures(key),
      fail: ({ key, window }) => counters.fail(key, window),
      nonceTime: () => counters.nonceTime(),
      useNonce: (use) => counters.useNonce(use),
      ...desks.answers,
    },
    hears: {
      decisions: decisions.show,
      sampled: (batch) => hub.receive(batch, `worker ${worker().index}`),
      follow: (desk) => followers.follow(worker(), desk),
      unfollow: (desk) => followers.unfollow(worker(), desk),
    },
  });
}

async function closeRest({ core, desks }: Primary): Promise<void> {
  await desks.close();
  core.stalls.close();
  await core.kept.close();
  await core.received?.close();
}

/** A worker writes to a pipe, so it cannot see whether there is a terminal. */
function formatOf({ log: { format } }: GatewayConfig): 'json' | 'pretty' {
  if (format !== 'auto') return format;
  return process.stdout.isTTY === true ? 'pretty' : 'json';
}

type Load = NonNullable<GatewayOptions['load']>;

/**
 * The primary reads and judges a file once. Then every worker prepares it. Either all workers activate it, or none
 * does.
 */
function reloader(primary: Primary, load: Load, stats: ReloadStats): Reload {
  const { core, desks, crew, keys, state, options } = primary;
  const { clock, log, live, directory } = core;
  let under: { readonly sent: SentGeneration; readonly way: TakeUp } | undefined;
  return buildReload({
    load,
    live,
    build: (loaded) => buildGeneration(withKeys(loaded.config, keys), { ...core, locate: loaded.locate }),
    ready: (_next, { config, locate }) =>
      brokersForTrial(desks, { config, directory, active: state.current.desks }, (named) => {
        const version = state.current.version + 1;
        const sending = { version, workers: options.workers, directory, locate, desks: named };
        const sent = sentGeneration(withKeys(config, keys), sending);
        const way = takeUp(sent, crew);
        under = { sent, way };
        return way.prepare();
      }),
    apply() {
      if (under !== undefined) state.current = under.sent;
    },
    taken: async () => under?.way.commit(),
    renew: () => {
      for (const renew of core.renewals) renew();
      for (const { process } of crew.workers) void process.line.ask('renew', true, 1_000);
    },
    files: options.files,
    stats,
    clock,
    log,
  });
}
