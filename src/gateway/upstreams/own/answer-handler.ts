import type { Duplex } from 'node:stream';
import type { LastMade } from '../../../base/last-made.ts';
import type { SizedLines } from '../../message/lines.ts';

/** The converted fields of an answer, for later answers of the connection with the same fields. */
export type AnswerMemory = LastMade<SizedLines>;

/**
 * Receives an answer. The methods are undici's dispatch handler, `onQueued` and `onWait`. Header lines alternate names
 * and values.
 */
export interface AnswerHandler {
  /**
   * The request waits for a connection. `leave` drops it without any further call. Once the request has a connection,
   * `leave` does nothing.
   */
  onQueued?(leave: () => void): void;
  /** The request has a connection, and nothing is sent yet. */
  onConnect(abort: (reason?: Error) => void): void;
  onRequestSent?(): void;
  /** `reason` comes from undici and is not used. `memory` comes only from our own engine. */
  onHeaders(
    status: number,
    fields: readonly string[],
    resume: () => void,
    reason?: string,
    memory?: AnswerMemory,
  ): boolean;
  onData(chunk: Buffer): boolean;
  /** Like `onData`, with bytes that are overwritten after the call. */
  onLent?(chunk: Buffer): boolean;
  /** All received bytes were delivered, but the answer has not ended. */
  onWait?(): void;
  onComplete(trailers: readonly string[] | null): void;
  onError(error: Error): void;
  onUpgrade?(status: number, fields: readonly string[], socket: Duplex): void;
}
