import type { Logger } from 'pino';
import { rootReason, StorageUnavailable } from './errors.ts';

/** Milliseconds from the end of one try to the start of the next. */
const TRY_EVERY = 2_000;

export interface StoreOutage {
  /** True: the error is an outage of the store, and its line is in the log. False: it is another error. */
  met(error: unknown): boolean;
  close(): void;
}

export interface StoreOutageOptions {
  /** Resolves if the store works. It writes, because a read can succeed in a store that takes no writes. */
  readonly ping: () => Promise<unknown>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly every?: number;
}

/**
 * Logs when the store becomes unusable, and when it is usable again. During an outage every request and every chore fails, so
 * their own lines would fill the log.
 */
export function storeOutage({ ping, log, every = TRY_EVERY }: StoreOutageOptions): StoreOutage {
  let isOut = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const tryLater = () => {
    if (!isClosed) timer = setTimeout(() => void ping().then(back, tryLater), every).unref();
  };
  const back = () => {
    isOut = false;
    if (!isClosed) log.info('the store is reachable again');
  };
  const begin = (error: StorageUnavailable) => {
    isOut = true;
    log.warn(`the store is unreachable: ${rootReason(error)}`);
    tryLater();
  };
  return {
    met(error) {
      if (!(error instanceof StorageUnavailable)) return false;
      if (!isOut && !isClosed) begin(error);
      return true;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
