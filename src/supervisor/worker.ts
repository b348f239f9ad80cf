import { exitForCertain } from '../base/exit-for-certain.ts';
import { buildLog } from '../base/log.ts';
import { ALIVE_EVERY } from './heartbeat.ts';
import { type IpcChannel, type IpcEnd, openIpcChannel } from './ipc-channel.ts';
import type { PrimaryNews, PrimaryVerbs, WorkerNews, WorkerStart, WorkerVerbs } from './messages.ts';
import { remoteServers } from './remote-servers.ts';
import { openWorkerRuntime, type WorkerRuntime, type WorkerRuntimeOptions } from './worker-runtime.ts';

/** Serves the primary's connections until the primary stops it or is gone. */
export function runWorker(end: IpcEnd & Pick<NodeJS.Process, 'once' | 'exit'>): void {
  let part: WorkerRuntime | undefined;
  const served = (): WorkerRuntime => {
    if (part === undefined) throw new Error('the worker got a request before its start');
    return part;
  };
  const line: IpcChannel<PrimaryVerbs, PrimaryNews> = openIpcChannel<
    PrimaryVerbs,
    PrimaryNews,
    WorkerVerbs,
    WorkerNews
  >(end, {
    answers: {
      start: (start) =>
        reason(async () => {
          part = await open(start, { line, remote });
        }),
      prepare: (sent) => reason(() => served().prepare(sent)),
      commit: (version) => done(() => served().commit(version)),
      discard: (version) => done(() => served().discard(version)),
      renew: () => done(() => served().renew()),
      metrics: () => served().metrics(),
      ready: () => served().ready(),
    },
    hears: {
      keys: ({ desk, keys }) => remote.keysCame(desk, keys),
      feed: ({ desk, messages }) => remote.feedSays(desk, messages),
      watch: (on) => part?.watch(on),
      audiences: (audiences) => part?.sample(audiences),
      drain: (milliseconds) => void (part?.drain(milliseconds) ?? Promise.resolve()).then(() => end.exit(0)),
    },
    takes: (socket, entrance) => served().take(socket, entrance),
    broken(error) {
      throw error;
    },
  });
  const remote = remoteServers(line);
  setInterval(() => line.tell('alive', true), ALIVE_EVERY).unref();
  // Without its primary, a worker is unreachable.
  end.once('disconnect', () => exitForCertain(3));
}

type Lines = Pick<WorkerRuntimeOptions, 'line' | 'remote'>;

function open({ index, generation, format }: WorkerStart, lines: Lines): Promise<WorkerRuntime> {
  const log = buildLog({ ...generation.config.log, format }).child({ worker: index });
  return openWorkerRuntime({ sent: generation, ...lines, log });
}

/** Null, or the reason. A problem with one file does not end the worker. */
async function reason(job: () => Promise<void>): Promise<string | null> {
  try {
    await job();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function done(job: () => void): true {
  job();
  return true;
}
