import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { StorageUnavailable } from '../../storage/lookup/read.ts';
import type { FaultLog } from '../message/fault-log.ts';

/** Whether a database answers, checked from time to time. */
export interface StoreLook {
  /** Looks now and then again and again; settles after the first look, and never rejects. */
  start(): Promise<void>;
  tried(): boolean;
  usable(): boolean;
  /** Why the last look failed; undefined: it did not. */
  fault(): string | undefined;
  close(): void;
}

/** Milliseconds between two looks, and for one of them: readiness follows the store within two seconds. */
const LOOK_EVERY = 500;
const LOOK_WAITS = 1_000;

export function storeLook(ping: () => Promise<unknown>, faults: FaultLog): StoreLook {
  let last: 'usable' | 'out' | undefined;
  let lastFault: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const look = async () => {
    const fault = await faultOf(ping);
    if (closed) return;
    last = fault === undefined ? 'usable' : 'out';
    lastFault = fault;
    if (fault === undefined) faults.recovered();
    else faults.failed(fault);
    timer = setTimeout(look, LOOK_EVERY).unref();
  };
  return {
    start: look,
    tried: () => last !== undefined,
    usable: () => last === 'usable',
    fault: () => lastFault,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** An answer that came while this process was busy is read before it is too late. */
async function late(): Promise<never> {
  await pause(LOOK_WAITS, undefined, { ref: false });
  await turn();
  throw new StorageUnavailable('the database does not answer in time');
}

/** For a defect of ours, only the error's name is logged: the message may hold anything. */
async function faultOf(ping: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await Promise.race([ping(), late()]);
    return undefined;
  } catch (error) {
    return error instanceof StorageUnavailable ? error.message : `internal: ${(error as Error).name}`;
  }
}
