import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import type { Loaded, Pointer, Position } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { LiveGeneration } from '../generation/generation.ts';
import type { EventLog } from '../receiver/event-log.ts';
import type { ConsoleParts } from './console.ts';
import { HealthHistory } from './health/history.ts';
import type { MetricValues } from './health/measures.ts';
import { LiveHub, type LiveSource } from './live/hub.ts';
import { ReplicaStream } from './live/replica.ts';
import { RunningFiles } from './questions/running-file.ts';

export interface ConsoleCore {
  readonly live: LiveGeneration;
  readonly clock: Clock;
  readonly directory: string;
  /** Reports of authorization servers. */
  readonly received?: EventLog | undefined;
}

/** How the file of the gateway is read. */
export interface ConsoleFile {
  readonly read?: (() => Loaded<GatewayConfig>) | undefined;
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
}

export interface ConsoleSources {
  readonly source: LiveSource;
  /** The metrics of all processes of this gateway. */
  readonly metrics: () => Promise<MetricValues>;
  /** 0, the default: the gateway is one process. */
  readonly workers?: number;
}

export function consoleParts(
  { live, clock, directory, received }: ConsoleCore,
  { read, locate }: ConsoleFile,
  { source, metrics, workers = 0 }: ConsoleSources,
): ConsoleParts {
  const files = new RunningFiles({
    live,
    directory,
    received,
    load: read,
    locate: read === undefined ? locate : undefined,
  });
  const gateway = `${hostname()}:${process.pid}`;
  const history = new HealthHistory(metrics, clock);
  const replicas = (live.current.config.admin?.replicas ?? []).map(
    (address) =>
      new ReplicaStream({
        address,
        directory,
        epoch: () => hub.epoch,
        receive: (batch, from, audience) => hub.receive(batch, from, audience),
        changed: () => hub.greet(),
      }),
  );
  const hub: LiveHub = new LiveHub(together(source, replicas));
  const greeting = () => ({ gateway, workers, replicas: replicas.map(({ state }) => state) });
  return { live, hub, files, history, greeting };
}

/**
 * A gateway that follows this one asks only for the decisions of this one. So two gateways that follow each other cause
 * no loop.
 */
function together(own: LiveSource, replicas: readonly LiveSource[]): LiveSource {
  return {
    watch(audiences) {
      own.watch(audiences);
      const people = audiences.filter((audience) => audience.own !== true);
      for (const replica of replicas) replica.watch(people);
    },
  };
}
