import { OAuthError } from '../../oauth/errors.ts';

/** Requests wait here until the service has started. The service listens first, because later steps cannot be undone. */
export interface Gate {
  readonly isOpen: boolean;
  /** Calls `done` at once if the gate is open, and with an error if the start failed. */
  pass(done: (error?: Error) => void): void;
  open(): void;
  /** Rejects all waiting requests, so that another process can answer them. Throws the given error. */
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
