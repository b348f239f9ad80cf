import { OAuthError } from '../../oauth/errors.ts';

/** Where requests wait until the service has started: it listens before it does what cannot be taken back. */
export interface Gate {
  readonly isOpen: boolean;
  /** Calls at once where the gate is open; with an error where the start failed. */
  pass(done: (error?: Error) => void): void;
  open(): void;
  /** Sends all waiting requests away, to another process. Throws the given error. */
  fail(fault: unknown): never;
}

export function buildGate(): Gate {
  let isOpen = false;
  let failed: OAuthError | undefined;
  let waiting: ((error?: Error) => void)[] = [];
  const release = () => {
    const all = waiting;
    waiting = [];
    for (const done of all) done(failed);
  };
  return {
    get isOpen() {
      return isOpen;
    },
    pass(done) {
      if (isOpen || failed !== undefined) done(failed);
      else waiting.push(done);
    },
    open() {
      isOpen = true;
      release();
    },
    fail(fault) {
      failed = new OAuthError('temporarily_unavailable', {
        headers: { 'retry-after': '1' },
        detail: 'the service did not start',
      });
      release();
      throw fault;
    },
  };
}
