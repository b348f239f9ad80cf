import { Counter, Gauge, Registry } from 'prom-client';
import type { Health } from '../base/health.ts';
import { addProcessMetrics } from '../base/process-metrics.ts';
import type { RefusedConnections } from '../base/refused-connections.ts';
import type { ConsoleParts } from '../gateway/console/console.ts';
import { viewersMetric } from '../gateway/console/live/viewers-metric.ts';
import { processMetrics } from '../gateway/lifecycle/metrics.ts';
import type { ReloadStats } from '../gateway/lifecycle/reload.ts';
import { remarkOfReload } from '../gateway/lifecycle/reload-remark.ts';
import type { MergedDecisions } from './merged-decisions.ts';
import type { MetricSnapshot } from './messages.ts';
import type { SummedMetrics } from './metrics.ts';
import type { Crew } from './worker-pool.ts';

export interface GroupHealthOptions {
  readonly crew: Crew;
  readonly decisions: MergedDecisions;
  readonly console: Pick<ConsoleParts, 'hub'>;
  readonly metrics: SummedMetrics;
  readonly stats: ReloadStats;
  readonly refused: RefusedConnections;
  readonly isDraining: () => boolean;
}

/** Milliseconds. A worker that does not answer by then is not ready, and its last metrics count. */
const PATIENCE = 1_000;

/** The group's answers for probes, scrapers and the console. */
export interface GroupHealth extends Health {
  /** The metrics of all workers, as values. */
  readonly values: () => Promise<MetricSnapshot>;
  /** The metrics of this process. */
  readonly own: Registry;
}

export function groupHealth(options: GroupHealthOptions): GroupHealth {
  const { crew, decisions, console, metrics, stats, refused, isDraining } = options;
  const own = groupMetrics(crew);
  processMetrics(own, { decisions, reloads: stats, refused });
  viewersMetric(own, console.hub);
  let remark: string | undefined;
  return {
    own,
    async notReady() {
      if (isDraining()) return { reason: 'draining' };
      const asked = crew.workers.map(({ process }) => process.line.ask('ready', true, PATIENCE));
      const told = (await Promise.all(asked)).filter((each) => each !== undefined);
      remark = told.find((each) => each.remark !== null)?.remark ?? undefined;
      if (told.some((each) => each.notReady === null)) return undefined;
      const cause = told.find((each) => each.cause !== null)?.cause ?? undefined;
      return { reason: told[0]?.notReady ?? 'no worker serves yet', cause };
    },
    remark: () => remarkOfReload(stats) ?? remark,
    registry: {
      contentType: own.contentType,
      async metrics() {
        await askWorkers(options);
        return metrics.text(own);
      },
    },
    async values() {
      await askWorkers(options);
      return metrics.values(own);
    },
  };
}

async function askWorkers({ crew, metrics }: Pick<GroupHealthOptions, 'crew' | 'metrics'>): Promise<void> {
  const all = crew.workers.map(async (worker) => {
    const snapshot = await worker.process.line.ask('metrics', true, PATIENCE);
    if (snapshot !== undefined && crew.workers.includes(worker)) metrics.saw(worker, snapshot);
  });
  await Promise.all(all);
}

/** Metrics of the process that starts the workers. */
export function groupMetrics(crew: Pick<Crew, 'workers' | 'restarts'>): Registry {
  const registry = new Registry();
  const registers = [registry];
  addProcessMetrics(registry);
  new Gauge({
    name: 'gatehouse_workers',
    help: 'Worker processes that serve requests.',
    registers,
    collect() {
      this.set(crew.workers.length);
    },
  });
  new Counter({
    name: 'gatehouse_worker_restarts_total',
    help: 'Worker processes that the primary replaced, because they crashed or hung.',
    registers,
    collect() {
      this.reset();
      this.inc(crew.restarts);
    },
  });
  return registry;
}
