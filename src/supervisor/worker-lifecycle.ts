import type { Logger } from 'pino';
import type { ConnectionTarget } from './connection-dispatcher.ts';
import { type SignsOfLife, signsOfLife } from './heartbeat.ts';
import type { ListeningSockets } from './listening-sockets.ts';
import type { SentGeneration, WorkerStart } from './messages.ts';
import { startWorkerProcess, type WorkerHandlers, type WorkerProcess } from './worker-process.ts';

/** A worker that serves, or will serve soon. */
export interface Worker {
  readonly index: number;
  readonly process: WorkerProcess;
}

export interface LifeOptions {
  readonly door: ListeningSockets;
  readonly log: Logger;
  readonly format: WorkerStart['format'];
  /** The active configuration. */
  readonly current: () => SentGeneration;
  /** The requests that this worker may send. */
  readonly handlers: (worker: () => Worker) => Pick<WorkerHandlers, 'answers'> & {
    readonly hears: Omit<WorkerHandlers['hears'], 'alive' | 'took' | 'closed'>;
  };
}

/** Milliseconds for a start. A worker sends no heartbeat before it has started. */
const START = 60_000;
/** Milliseconds for every other message to a worker. */
export const SHUTDOWN_DEADLINE = 15_000;

/** One life of a worker: its process, its place at the dispatcher, and its heartbeats. */
export class Life {
  readonly worker: Worker;
  readonly #options: LifeOptions;
  readonly #signs: SignsOfLife;
  #place: ConnectionTarget | undefined;
  #ended = false;

  constructor(index: number, options: LifeOptions) {
    this.#options = options;
    const { answers, hears } = options.handlers(() => this.worker);
    this.#signs = signsOfLife(() => this.#hangs());
    const process = startWorkerProcess({
      answers,
      hears: {
        ...hears,
        alive: () => this.#signs.alive(),
        took: () => this.#place?.took(),
        closed: (count) => this.#place?.closed(count),
      },
      broken: (error) => options.log.error({ err: error, worker: index }, 'internal error'),
    });
    this.worker = { index, process };
  }

  /**
   * Resolves with the reason when the worker has ended.
   * @param serves called once the worker is ready; true: it accepts connections from then on
   */
  async lived(serves: () => boolean): Promise<string> {
    const { process } = this.worker;
    const broken = (error: unknown) => {
      process.kill();
      return messageOf(error);
    };
    const fault = await Promise.race([this.#begin(serves).catch(broken), process.over]);
    const end = await process.over;
    this.#ended = true;
    this.#signs.stop();
    this.#place?.leave();
    return fault ?? end;
  }

  async #begin(serves: () => boolean): Promise<string | undefined> {
    const { process } = this.worker;
    const fault = await begun(this.worker, this.#options);
    if (fault !== null) process.kill();
    else if (!this.#ended && serves()) {
      this.#place = this.#options.door.join(process.line.hand);
      this.#signs.expect();
    }
    return fault ?? undefined;
  }

  #hangs(): void {
    const { index, process } = this.worker;
    this.#options.log.error({ worker: index, pid: process.pid }, 'a worker hangs and is ended');
    process.kill();
  }
}

/** Null: the worker serves the active configuration. A reload may have happened while it started. */
async function begun({ index, process: { line } }: Worker, { current, format }: LifeOptions): Promise<string | null> {
  let generation = current();
  const fault = await line.ask('start', { index, generation, format }, START);
  if (fault !== null) return fault ?? 'it was not ready in time';
  while (generation.version !== current().version) {
    generation = current();
    const refused = await line.ask('prepare', generation, SHUTDOWN_DEADLINE);
    if (refused !== null) return refused ?? 'it did not load the file in time';
    await line.ask('commit', generation.version, SHUTDOWN_DEADLINE);
  }
  return null;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
