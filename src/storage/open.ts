import { splitStorageUrl } from '../base/storage-urls.ts';
import { StorageUnusable } from './engine/errors.ts';
import type { OpenOptions } from './engine/open-options.ts';
import { storageEngines } from './engines.ts';
import type { Records } from './records/records.ts';

/** Opens the store and migrates it to this program's version. Fails with `StorageUnusable` if this is impossible. */
export async function openRecords(url: string, options: OpenOptions, engines = storageEngines): Promise<Records> {
  const found = splitStorageUrl(url, engines);
  if (found === undefined) throw new StorageUnusable(`storage: there is no engine for ${url.split(':')[0]}:`);
  return found.row.open(found.location, options);
}
