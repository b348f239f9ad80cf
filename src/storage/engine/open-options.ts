import type { Clock } from '../../base/clock.ts';

export interface OpenOptions {
  /** A relative filename starts here. */
  readonly directory: string;
  readonly clock: Clock;
  /** 32 bytes in base64 each; absent: a key file beside the database. */
  readonly encryptionKeys?: readonly string[] | undefined;
  /** Receives warnings about the files at opening. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Called after every commit with the number of writes in it. */
  readonly onCommit?: ((writes: number) => void) | undefined;
  /** Milliseconds for which a write waits for another writing process. */
  readonly busyDeadline?: number | undefined;
}
