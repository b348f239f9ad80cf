/**
 * Calls with a signal that fires after so many milliseconds, and lets both go with the end of the call.
 * `AbortSignal.timeout()` would keep its timer until then, which is long after most calls: a flood of them fills memory.
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
