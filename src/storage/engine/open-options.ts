import type { Clock } from '../../base/clock.ts';

export interface OpenOptions {
  /** A relative file is looked for here. */
  readonly directory: string;
  readonly clock: Clock;
  /** 32 bytes of base64 each; absent: a key file beside the database. */
  readonly encryptionKeys?: readonly string[] | undefined;
  /** Told, on opening, what should be changed about the files and need not be for now. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Told after every commit how many writes shared it. */
  readonly onCommit?: ((writes: number) => void) | undefined;
  /** Milliseconds for which a write waits for another process that writes. */
  readonly busyDeadline?: number | undefined;
}
