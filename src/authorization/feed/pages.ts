import type { EventRecord } from '../../storage/records/records.ts';

/** Events in one read. */
export const PAGE = 500;

/** Full pages in memory: a few megabytes. Followers that start together read the same pages at nearly the same time. */
const MOST_KEPT = 32;

type Page = readonly EventRecord[];

/**
 * Followers share full pages, and so their bytes. A full page never gets further events. If some of its events have been pruned
 * meanwhile, they affect no live token. Other pages are always read, because they may have more events now.
 */
export function sharedPages(read: (since: number) => Promise<Page>): (since: number) => Promise<Page> {
  const full = new Map<number, Page>();
  return async (since) => {
    const page = full.get(since) ?? (await read(since));
    if (page.length === PAGE) full.set(since, page);
    if (full.size > MOST_KEPT) full.delete(full.keys().next().value as number);
    return page;
  };
}
