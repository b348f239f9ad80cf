import { Gathered } from '../client/gathered.ts';
import type { AnswerHandler } from '../upstreams/own/answer-handler.ts';
import type { AnswerLoan } from './answer-loan.ts';

interface AnswerHead {
  readonly status: number;
  /** Name, value, … */
  readonly fields: readonly string[];
  readonly resume: () => void;
}

/** A JSON answer that is held until it is complete. */
export class HeldAnswer {
  readonly #head: AnswerHead;
  readonly #body: Gathered;

  constructor(head: AnswerHead, loan: AnswerLoan) {
    this.#head = head;
    this.#body = new Gathered((bytes) => loan.take(bytes));
  }

  get fields(): readonly string[] {
    return this.#head.fields;
  }

  get bytes(): number {
    return this.#body.bytes;
  }

  /** False: no memory is left. */
  add(chunk: Buffer): boolean {
    return this.#body.add(chunk);
  }

  /** The received bytes. */
  get body(): Buffer {
    return this.#body.whole;
  }

  /** False: the client has not read everything yet. */
  release(handler: AnswerHandler, fields: readonly string[], body: Buffer): boolean {
    const goesOn = handler.onHeaders(this.#head.status, fields, this.#head.resume);
    return (body.length === 0 || handler.onData(body)) && goesOn;
  }
}
