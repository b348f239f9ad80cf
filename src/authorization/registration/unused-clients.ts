import type { Service } from '../service/service.ts';

/** Clients of one step, so that no request waits a long time. */
const BATCH = 100;

/** Removes clients that registered themselves and got no token for a long time. `now`: NumericDate. */
export async function removeUnused(
  { records, config, audit }: Pick<Service, 'records' | 'config' | 'audit'>,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  const unusedSince = now - Math.floor(config.registration.dynamic.ttl_unused / 1000);
  let removed: readonly string[];
  do {
    removed = await records.reapRegistrations({ unusedSince, now, limit: BATCH });
    for (const client_id of removed) audit.record('client_removed', { client_id, detail: 'unused' });
  } while (removed.length >= BATCH && !stopping.aborted);
}
