/**
 * One run at a time. A call while one is under way gets the next run, which begins after the call and is shared by all
 * who called meanwhile: so the outcome is never older than the question, and any number of questions cost two runs at most.
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
