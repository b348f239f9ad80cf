import type { Worker } from 'node:worker_threads';
import { ownProgram } from '../../base/own-files.ts';
import { ownThread } from '../../base/own-programs.ts';
import type { StoredPassword } from '../../config/files/stored-password.ts';

export interface ThreadQuestion {
  readonly id: number;
  readonly stored: Extract<StoredPassword, { kind: 'bcrypt' | 'apr1' }>;
  readonly password: string;
}

export interface ThreadAnswer {
  readonly id: number;
  readonly right: boolean;
}

/** One thread for hashes that would block the event loop. It starts when it is first needed. */
export interface PasswordThread {
  /** Undefined: the thread died from this question. */
  ask(stored: ThreadQuestion['stored'], password: string): Promise<boolean | undefined>;
  close(): Promise<void>;
}

const PROGRAM = ownProgram('password-worker', import.meta.url);

export function openPasswordThread(): PasswordThread {
  const waiting = new Map<number, (right: boolean | undefined) => void>();
  let worker: Worker | undefined;
  let last = 0;
  const settle = (id: number, right: boolean | undefined) => {
    waiting.get(id)?.(right);
    waiting.delete(id);
  };
  /** Called twice for one thread. By then another thread may be running. */
  const gone = (dead: Worker) => {
    if (worker !== dead) return;
    worker = undefined;
    for (const id of [...waiting.keys()]) settle(id, undefined);
  };
  const open = () => {
    const opened = ownThread(PROGRAM);
    opened.unref();
    opened.on('message', ({ id, right }: ThreadAnswer) => settle(id, right));
    opened.on('error', () => gone(opened));
    opened.on('exit', () => gone(opened));
    return opened;
  };
  return {
    ask(stored, password) {
      worker ??= open();
      const id = ++last;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        worker?.postMessage({ id, stored, password } satisfies ThreadQuestion);
      });
    },
    close: async () => void (await worker?.terminate()),
  };
}
