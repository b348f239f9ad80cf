// Replaces async-hook-domain, with which tap finds the test that threw an error. That package follows each promise with
// hooks of Node.js, which made tests of promises five times as slow. An AsyncLocalStorage costs almost nothing.
import { AsyncLocalStorage, type AsyncResource, executionAsyncResource } from 'node:async_hooks';

type Report = (error: unknown, type: 'uncaughtException' | 'unhandledRejection') => void;

const current = new AsyncLocalStorage<Domain>();
/** Tests that have begun and have not ended. The last one began last. */
const running = new Set<Domain>();

/** An error that is thrown in a test, or rejected without a handler, is reported to that test. */
export class Domain {
  readonly onerror: Report;
  readonly parent = current.getStore();
  destroyed = false;

  constructor(onerror: Report) {
    this.onerror = onerror;
    this.#follow(executionAsyncResource());
  }

  destroy(): void {
    this.destroyed = true;
    running.delete(this);
    if (running.size === 0) process.off('uncaughtExceptionMonitor', caught);
  }

  /**
   * tap runs all of a test in the scope of its own resource. A domain that it creates outside of one is for the rest of
   * the process.
   */
  #follow(resource: Partial<AsyncResource>): void {
    const { runInAsyncScope: run } = resource;
    if (run === undefined) {
      this.#begin();
      current.enterWith(this);
      return;
    }
    resource.runInAsyncScope = (each, thisArg, ...args) => {
      this.#begin();
      // Created inside, since the resource carries the context in which it was created.
      return run.call(resource, () => current.run(this, () => Reflect.apply(each, thisArg, args))) as never;
    };
  }

  #begin(): void {
    if (this.destroyed) return;
    if (running.size === 0) process.on('uncaughtExceptionMonitor', caught);
    running.add(this);
  }
}

/** A connection that a server accepted has no context in Node.js. Its errors belong to the test that began last. */
function responsible(): Domain | undefined {
  let domain = current.getStore();
  while (domain?.destroyed) domain = domain.parent;
  return domain ?? [...running].at(-1);
}

/** Without a responsible test the process ends, as it does without this code. */
function caught(error: unknown, type: Parameters<Report>[1]): void {
  // Another handler is responsible.
  if (process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0) return;
  const domain = responsible();
  if (domain === undefined) return;
  domain.onerror(error, type);
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null));
}
