import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { StorageUnavailable } from '../../storage/lookup/read.ts';
import type { FaultLog } from '../message/fault-log.ts';

/** Checks regularly whether a database answers. */
export interface StoreLook {
  /** Checks at once, and then repeatedly. Settles after the first check, and never rejects. */
  start(): Promise<void>;
  tried(): boolean;
  usable(): boolean;
  /** Why the last check failed. Undefined: it succeeded. */
  fault(): string | undefined;
  close(): void;
}

/** Milliseconds between two checks, and for one check. So readiness follows the store within two seconds. */
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

/** Waits one more turn, to read an answer that arrived while this process was busy. */
async function late(): Promise<never> {
  await pause(LOOK_WAITS, undefined, { ref: false });
  await turn();
  throw new StorageUnavailable('the database does not answer in time');
}

/** For a defect of the gateway, only the error's name is logged, because the message may contain anything. */
async function faultOf(ping: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await Promise.race([ping(), late()]);
    return undefined;
  } catch (error) {
    return error instanceof StorageUnavailable ? error.message : `internal: ${(error as Error).name}`;
  }
}
