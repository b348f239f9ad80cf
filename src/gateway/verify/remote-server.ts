import type { OpenFeed } from '../revocation/follow-feed.ts';
import type { FetchJson } from '../server-client/fetch-json.ts';
import type { KeySource } from '../server-client/key-source.ts';
import type { Metadata } from '../server-client/metadata.ts';

/** One authorization server as a worker reaches it: by the primary of its process group, which asks once for all. */
export interface RemoteServer {
  /** The same for the same block of the file, and no other. */
  readonly id: string;
  readonly fetch: FetchJson;
  readonly about: Metadata;
  readonly keys: KeySource;
  readonly feed: OpenFeed;
}
