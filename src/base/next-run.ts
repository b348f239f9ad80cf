/**
 * Allows one run at a time. A call during a run gets the next run, which all calls in the meantime share. So a result is never
 * older than its call, and any number of calls cost at most two runs.
 */
export function nextRun(run: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = () => {
    const begun = run().finally(() => {
      underWay = undefined;
    });
    underWay = begun;
    return begun;
  };
  const after = async (before: Promise<void>) => {
    await before.catch(() => {});
    next = undefined;
    return begin();
  };
  return () => {
    if (next !== undefined) return next;
    if (underWay === undefined) return begin();
    next = after(underWay);
    return next;
  };
}
