import { OAuthError } from '../../oauth/errors.ts';
import { MOST_KIDS, type Records, type UserKeyRecord } from '../../storage/records/records.ts';

type FindKey = (kid: string) => Promise<UserKeyRecord | undefined>;

type Asked = PromiseWithResolvers<UserKeyRecord | undefined>;

/** Further requests are rejected, because each waiting request stays open. */
const MOST_WAITING = 10_000;

/**
 * Requests that arrive during one statement share the next statement, with each `kid` once. So a flood of invented names costs
 * one connection to the store, and one index lookup per name. A caller with a real key waits for a few statements at most.
 * Nothing is cached, so nothing useful is evicted.
 */
export function gatherLookups({ findUserKeys }: Pick<Records, 'findUserKeys'>): FindKey {
  const waiting = new Map<string, Asked>();
  let isUnderWay = false;

  async function askAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting.entries().take(MOST_KIDS).toArray();
      for (const [kid] of batch) waiting.delete(kid);
      await answer(batch, findUserKeys);
    }
    isUnderWay = false;
  }

  return (kid) => {
    const before = waiting.get(kid);
    if (before !== undefined) return before.promise;
    if (waiting.size >= MOST_WAITING)
      throw new OAuthError('temporarily_unavailable', {
        detail: 'too many key lookups wait',
        headers: { 'retry-after': '1' },
      });
    const asked: Asked = Promise.withResolvers();
    waiting.set(kid, asked);
    if (!isUnderWay) setImmediate(askAll);
    isUnderWay = true;
    return asked.promise;
  };
}

async function answer(batch: readonly [string, Asked][], find: Records['findUserKeys']): Promise<void> {
  try {
    const records = await find(batch.map(([kid]) => kid));
    const found = new Map(records.map((record) => [record.kid, record]));
    for (const [kid, { resolve }] of batch) resolve(found.get(kid));
  } catch (error) {
    for (const [, { reject }] of batch) reject(error);
  }
}
