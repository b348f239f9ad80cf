import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CannotStart } from '../gateway/lifecycle/kept-nonces.ts';
import type { Door, Place } from './door.ts';
import type { Line } from './line.ts';
import type { SentGeneration, WorkerNews, WorkerStart, WorkerVerbs } from './messages.ts';
import { signsOfLife } from './signs-of-life.ts';
import { startWorkerProcess, type WorkerHandlers, type WorkerProcess } from './worker-process.ts';

/** A worker that serves, or is about to. */
export interface Worker {
  readonly index: number;
  readonly process: WorkerProcess;
}

export interface CrewOptions {
  readonly size: number;
  readonly door: Door;
  readonly log: Logger;
  readonly format: WorkerStart['format'];
  /** What is in force at the moment. */
  readonly current: () => SentGeneration;
  /** What this worker may ask. */
  readonly handlers: (worker: () => Worker) => Pick<WorkerHandlers, 'answers'> & {
    readonly hears: Omit<WorkerHandlers['hears'], 'alive' | 'took' | 'closed'>;
  };
  /** It serves from now on, or has ended. */
  readonly joined: (worker: Worker) => void;
  readonly left: (worker: Worker) => void;
}

/** The workers of a process group: one for each place, replaced when it ends or hangs. */
export interface Crew {
  /** Rejects, with the reason, where a worker cannot start. */
  start(): Promise<void>;
  /** Those that serve. */
  readonly workers: readonly Worker[];
  readonly restarts: number;
  /** Also those that are about to serve. */
  tellAll: Line<WorkerVerbs, WorkerNews>['tell'];
  /** Resolves when all have finished what was in flight, and ended. */
  drain(): Promise<void>;
}

/** Milliseconds for a start, until which a worker shows no sign of life. */
const START = 60_000;
/** Milliseconds for everything else that a worker is told to do. */
export const DEADLINE = 15_000;
/** Milliseconds: who lived for a shorter time has crashed at its start, and the next one waits. */
const SHORT_LIFE = 5_000;
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

export function buildCrew(options: CrewOptions): Crew {
  const { size, door, log } = options;
  const serving = new Map<number, Worker>();
  const alive = new Set<WorkerProcess>();
  let stopping = false;
  let restarts = 0;

  /** One life of a worker; `up` is called once it serves. */
  const live = async (index: number, up: () => void): Promise<string> => {
    let place: Place | undefined;
    let ended = false;
    const own = options.handlers(() => worker);
    const process = startWorkerProcess({
      answers: own.answers,
      hears: {
        ...own.hears,
        alive: () => signs.alive(),
        took: () => place?.took(),
        closed: (count) => place?.closed(count),
      },
      broken: (error) => log.error({ err: error, worker: index }, 'internal error'),
    });
    const worker: Worker = { index, process };
    const signs = signsOfLife(() => {
      log.error({ worker: index, pid: process.pid }, 'a worker hangs and is ended');
      process.kill();
    });
    alive.add(process);
    const begin = async () => {
      const fault = await begun(worker, options);
      if (fault !== null) {
        process.kill();
        return fault;
      }
      if (stopping || ended) return undefined;
      place = door.join(process.line.hand);
      signs.expect();
      serving.set(index, worker);
      options.joined(worker);
      up();
      return undefined;
    };
    const broken = (error: unknown) => {
      process.kill();
      return messageOf(error);
    };
    const fault = await Promise.race([begin().catch(broken), process.over]);
    const end = await process.over;
    ended = true;
    signs.stop();
    place?.leave();
    alive.delete(process);
    if (serving.get(index) === worker) serving.delete(index);
    options.left(worker);
    return fault ?? end;
  };

  /** Life after life, until the group stops. */
  const keep = async (index: number, first: PromiseWithResolvers<void>): Promise<void> => {
    for (let wait = 0; !stopping; restarts++) {
      await pause(wait, undefined, { ref: false });
      if (stopping) return;
      const began = performance.now();
      const up = () => {
        first.resolve();
        if (restarts > 0) log.info({ worker: index }, 'a worker serves');
      };
      // A machine without memory cannot even start one: the others serve on meanwhile.
      const end = await live(index, up).catch(messageOf);
      first.reject(new CannotStart(`worker ${index} does not start: ${end}`));
      if (stopping) return;
      const isShort = performance.now() - began < SHORT_LIFE;
      wait = isShort ? Math.min(Math.max(FIRST_WAIT, wait * 2), LONGEST_WAIT) : 0;
      log.error({ worker: index, end, wait }, 'a worker ended and is replaced');
    }
  };

  return {
    async start() {
      const starts = Array.from({ length: size }, (_, index) => {
        const first = Promise.withResolvers<void>();
        void keep(index, first);
        return first.promise;
      });
      try {
        await Promise.all(starts);
      } catch (error) {
        stopping = true;
        for (const each of alive) each.kill();
        throw error;
      }
    },
    get workers() {
      return [...serving.values()];
    },
    tellAll(name, news) {
      for (const { line } of alive) line.tell(name, news);
    },
    get restarts() {
      return restarts;
    },
    async drain() {
      stopping = true;
      for (const each of alive) each.line.tell('drain', true);
      await Promise.all([...alive].map(({ over }) => over));
    },
  };
}

/** Null: it is ready to serve by what is in force. A file may have been taken up while it started. */
async function begun({ index, process: { line } }: Worker, { current, format }: CrewOptions): Promise<string | null> {
  let generation = current();
  const fault = await line.ask('start', { index, generation, format }, START);
  if (fault !== null) return fault ?? 'it was not ready in time';
  while (generation.version !== current().version) {
    generation = current();
    const refused = await line.ask('prepare', generation, DEADLINE);
    if (refused !== null) return refused ?? 'it did not take up the file in time';
    await line.ask('commit', generation.version, DEADLINE);
  }
  return null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
