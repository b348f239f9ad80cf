import { setTimeout as pause } from 'node:timers/promises';
import { CannotStart } from '../gateway/lifecycle/kept-nonces.ts';
import type { IpcChannel } from './ipc-channel.ts';
import type { WorkerNews, WorkerVerbs } from './messages.ts';
import { Life, type LifeOptions, messageOf, type Worker } from './worker-lifecycle.ts';

export interface CrewOptions extends LifeOptions {
  readonly size: number;
  /** The worker begins to serve. `left`: it has ended. */
  readonly joined: (worker: Worker) => void;
  readonly left: (worker: Worker) => void;
}

/** Milliseconds. A worker that ends earlier has crashed at its start, and its successor waits. */
const SHORT_LIFE = 5_000;
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

/** The workers of a process group, one for each place. A worker that ends or hangs is replaced. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #serving = new Map<number, Worker>();
  readonly #alive = new Set<Worker>();
  #stopping = false;
  #restarts = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Rejects with the reason if a worker cannot start. */
  async start(): Promise<void> {
    const starts = Array.from({ length: this.#options.size }, (_, index) => {
      const first = Promise.withResolvers<void>();
      void this.#keep(index, first);
      return first.promise;
    });
    try {
      await Promise.all(starts);
    } catch (error) {
      this.#stopping = true;
      for (const { process } of this.#alive) process.kill();
      throw error;
    }
  }

  /** The workers that serve now. */
  get workers(): readonly Worker[] {
    return [...this.#serving.values()];
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Also reaches workers that will serve soon. */
  readonly tellAll: IpcChannel<WorkerVerbs, WorkerNews>['tell'] = (name, news) => {
    for (const { process } of this.#alive) process.line.tell(name, news);
  };

  /** Resolves when all workers have finished their requests and ended. */
  async drain(lastRequests: number): Promise<void> {
    this.#stopping = true;
    this.tellAll('drain', lastRequests);
    await Promise.all([...this.#alive].map(({ process }) => process.over));
  }

  /** Replaces the worker at this place again and again, until the group stops. */
  async #keep(index: number, first: PromiseWithResolvers<void>): Promise<void> {
    for (let wait = 0; !this.#stopping; this.#restarts++) {
      await pause(wait, undefined, { ref: false });
      if (this.#stopping) return;
      const began = performance.now();
      // Without memory, the machine cannot start a process. The other workers continue meanwhile.
      const end = await this.#live(index, first.resolve).catch(messageOf);
      first.reject(new CannotStart(`worker ${index} does not start: ${end}`));
      if (this.#stopping) return;
      const isShort = performance.now() - began < SHORT_LIFE;
      wait = isShort ? Math.min(Math.max(FIRST_WAIT, wait * 2), LONGEST_WAIT) : 0;
      this.#options.log.error({ worker: index, end, wait }, 'a worker ended and is replaced');
    }
  }

  async #live(index: number, up: () => void): Promise<string> {
    const life = new Life(index, this.#options);
    const { worker } = life;
    this.#alive.add(worker);
    const end = await life.lived(() => this.#serves(worker, up));
    this.#alive.delete(worker);
    if (this.#serving.get(index) === worker) this.#serving.delete(index);
    this.#options.left(worker);
    return end;
  }

  #serves(worker: Worker, up: () => void): boolean {
    if (this.#stopping) return false;
    this.#serving.set(worker.index, worker);
    this.#options.joined(worker);
    up();
    if (this.#restarts > 0) this.#options.log.info({ worker: worker.index }, 'a worker serves');
    return true;
  }
}
