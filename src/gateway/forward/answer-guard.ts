import type { Duplex } from 'node:stream';
import { nameAt } from '../client/field-lines.ts';
import type { RawFields } from '../message/raw-fields.ts';
import type { UpstreamRefusal } from './abort-reasons.ts';
import type { Relay } from './relay.ts';
import { wasCut } from './upstream-fault.ts';

/** Undefined: the client gets the answer. `again`: send the request once more. */
export type AnswerVerdict = 'again' | UpstreamRefusal | undefined;

/** `raw` alternates names and values as undici received them. */
export type JudgeAnswer = (status: number, raw: RawFields) => AnswerVerdict;

/** Bytes to read of a discarded answer, so that its connection can be reused. */
const DUMPED = 64 * 1024;

class TooMuch extends Error {}

/**
 * Filters the answers of an upstream that authenticates the gateway and not the client. Such an upstream addresses its
 * challenges to the gateway. The guard forwards no challenge, because a client that follows one would send its password
 * to a stranger. A 401 is a fault behind the gateway. The methods are undici's dispatch handler.
 */
export class AnswerGuard {
  readonly #relay: Relay;
  readonly #judge: JudgeAnswer;
  #abort: ((reason?: Error) => void) | undefined;
  /** The discarded bytes of this answer so far, and whether the request is sent again afterwards. */
  #dumping: { bytes: number; readonly again: boolean } | undefined;

  constructor(relay: Relay, judge: JudgeAnswer) {
    this.#relay = relay;
    this.#judge = judge;
  }

  onQueued(leave: () => void): void {
    this.#relay.onQueued(leave);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    // Each attempt begins with a fresh answer, because the last one may have ended in the middle of a discarded body.
    this.#dumping = undefined;
    this.#relay.onConnect(abort);
  }

  onRequestSent(): void {
    this.#relay.onRequestSent();
  }

  onHeaders(status: number, raw: RawFields, resume: () => void): boolean {
    const judged = status < 200 ? undefined : this.#judge(status, raw);
    if (judged === undefined) return this.#relay.onHeaders(status, withoutDemands(raw), resume);
    this.#relay.withheld(status);
    this.#dumping = { bytes: 0, again: judged === 'again' };
    if (judged !== 'again') this.#relay.refuse(judged);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#dumping === undefined) return this.#relay.onData(chunk);
    this.#dumping.bytes += chunk.length;
    if (this.#dumping.bytes > DUMPED) this.#abort?.(new TooMuch());
    return true;
  }

  onWait(): void {
    if (this.#dumping === undefined) this.#relay.onWait();
  }

  onComplete(trailers: RawFields | null): void {
    if (this.#dumping === undefined) this.#relay.onComplete(trailers && withoutDemands(trailers));
    else this.#dumped();
  }

  onError(error: Error): void {
    if (this.#dumping !== undefined && (error instanceof TooMuch || wasCut(error))) this.#dumped();
    else this.#relay.onError(error);
  }

  onUpgrade(status: number, raw: RawFields | null, socket: Duplex): void {
    const fields = raw ?? [];
    const judged = this.#judge(status, fields);
    if (judged === undefined || judged === 'again') {
      this.#relay.onUpgrade(status, withoutDemands(fields), socket);
      return;
    }
    socket.destroy();
    this.#relay.refuse(judged);
  }

  #dumped(): void {
    const again = this.#dumping?.again;
    this.#dumping = undefined;
    if (again === true) this.#relay.again();
  }
}

const DEMANDS: ReadonlySet<string> = new Set(['www-authenticate', 'authentication-info']);

function withoutDemands(raw: RawFields): RawFields {
  const isDemand = (index: number) => DEMANDS.has(nameAt(raw, index - (index % 2)));
  return raw.some((_, index) => index % 2 === 0 && isDemand(index)) ? raw.filter((_, index) => !isDemand(index)) : raw;
}
