import type { Counters } from '../../counters/counters.ts';
import type { RemoteServer } from '../verify/remote-server.ts';

/** What a worker gets from the primary of its process group. */
export interface WorkerContext {
  /** The counters of `counters: memory`. */
  readonly counters: Counters;
  /** The authorization server of this name in the new file. */
  readonly server: (name: string) => RemoteServer | undefined;
  /** Files as the primary loaded them: full path → base64. */
  readonly contents: Readonly<Record<string, string>>;
  /** Where the time of nonces starts. A worker that starts after a jump of the wall clock must not differ from the others. */
  readonly nonceStart: number | undefined;
}
