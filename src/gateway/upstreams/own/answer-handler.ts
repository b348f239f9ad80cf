import type { Duplex } from 'node:stream';

/** Who hears of an answer: the methods are undici's dispatch handler, `onQueued` and `onWait`. Names and values in turn. */
export interface AnswerHandler {
  /** It waits for a connection. Once `leave` was called there nothing more is said of it; later that does nothing. */
  onQueued?(leave: () => void): void;
  /** It has a connection, and nothing is sent yet. */
  onConnect(abort: (reason?: Error) => void): void;
  onRequestSent?(): void;
  onHeaders(status: number, fields: readonly string[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  /** All received bytes were delivered, and it is not the end. */
  onWait?(): void;
  onComplete(trailers: readonly string[] | null): void;
  onError(error: Error): void;
  onUpgrade?(status: number, fields: readonly string[], socket: Duplex): void;
}
