import type { OpenFeed } from '../revocation/follow-feed.ts';
import type { FetchJson } from '../server-client/fetch-json.ts';
import type { KeySource } from '../server-client/key-source.ts';
import type { Metadata } from '../server-client/metadata.ts';

/** One authorization server, as a worker reaches it: through the primary, which asks once for all workers. */
export interface RemoteServer {
  /** Equal blocks of the file have equal ids, and different blocks different ones. */
  readonly id: string;
  readonly fetch: FetchJson;
  readonly about: Metadata;
  readonly keys: KeySource;
  readonly feed: OpenFeed;
}
