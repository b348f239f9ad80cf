import type { Duplex } from 'node:stream';
import type { LastMade } from '../../../base/last-made.ts';
import type { SizedLines } from '../../message/lines.ts';

/** What was made of the fields of an answer, for one whose connection brought the same ones before. */
export type AnswerMemory = LastMade<SizedLines>;

/** Who hears of an answer: the methods are undici's dispatch handler, `onQueued` and `onWait`. Names and values in turn. */
export interface AnswerHandler {
  /** It waits for a connection. Once `leave` was called there nothing more is said of it; later that does nothing. */
  onQueued?(leave: () => void): void;
  /** It has a connection, and nothing is sent yet. */
  onConnect(abort: (reason?: Error) => void): void;
  onRequestSent?(): void;
  /** `reason`: undici's, which is not used. `memory`: only our own engine has it. */
  onHeaders(
    status: number,
    fields: readonly string[],
    resume: () => void,
    reason?: string,
    memory?: AnswerMemory,
  ): boolean;
  onData(chunk: Buffer): boolean;
  /** As `onData`, with bytes that are overwritten after the call. */
  onLent?(chunk: Buffer): boolean;
  /** All received bytes were delivered, and it is not the end. */
  onWait?(): void;
  onComplete(trailers: readonly string[] | null): void;
  onError(error: Error): void;
  onUpgrade?(status: number, fields: readonly string[], socket: Duplex): void;
}
