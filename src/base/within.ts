/**
 * Calls with a signal that fires after this many milliseconds. Both end when the call ends. `AbortSignal.timeout()` would keep
 * its timer until it fires, long after most calls: a flood of calls would fill the memory.
 */
export async function within<Result>(
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = () => ending.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  const timer = setTimeout(end, milliseconds).unref();
  try {
    return await call(ending.signal);
  } finally {
    clearTimeout(timer);
  }
}
