/** The answers to so many clients at once, each with one request after another, for so many milliseconds. */
export async function many<T>(callers: number, milliseconds: number, call: () => Promise<T>): Promise<T[]> {
  const until = performance.now() + milliseconds;
  const results: T[] = [];
  const caller = async () => {
    while (performance.now() < until) results.push(await call());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return results;
}
