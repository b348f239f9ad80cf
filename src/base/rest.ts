/** Waits until the time or `over` ends it. Waiting keeps no process alive. */
export function rest(milliseconds: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    };
    if (over.aborted) return resolve();
    const timer = setTimeout(done, milliseconds).unref();
    over.addEventListener('abort', done);
  });
}
