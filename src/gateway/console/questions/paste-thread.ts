import type { Worker } from 'node:worker_threads';
import { ownProgram } from '../../../base/own-files.ts';
import { ownThread } from '../../../base/own-programs.ts';
import type { PastedAnswers, PastedQuestion } from './pasted.ts';

export interface PasteQuestion {
  readonly id: number;
  readonly asked: PastedQuestion;
}

export interface PasteAnswer {
  readonly id: number;
  readonly answer: PastedAnswers[PastedQuestion['kind']];
}

/** `busy`: too many wait. `late`: the text took too long or too much memory. */
export type Unjudged = 'busy' | 'late';

const PROGRAM = ownProgram('paste-worker', import.meta.url);
/** Milliseconds for one text. A file with a thousand routes takes a second. */
const DEADLINE = 10_000;
/** Milliseconds without a question, after which the thread ends. */
const IDLE = 60_000;
const MOST_WAITING = 8;

/** One thread, which judges one pasted text at a time. A text cannot hold up the requests of the gateway. */
export class PasteThread {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #id = 0;
  #idle: NodeJS.Timeout | undefined;

  async ask<Kind extends PastedQuestion['kind']>(
    asked: Extract<PastedQuestion, { kind: Kind }>,
  ): Promise<PastedAnswers[Kind] | Unjudged> {
    if (this.#waiting >= MOST_WAITING) return 'busy';
    this.#waiting++;
    const turn = this.#last.then(() => this.#judge(asked));
    this.#last = turn;
    const answer = await turn.finally(() => this.#waiting--);
    this.#rest();
    // The kind of the answer is the kind of the question.
    return answer as PastedAnswers[Kind] | Unjudged;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #judge(asked: PastedQuestion): Promise<PasteAnswer['answer'] | 'late'> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#open();
    const worker = this.#worker;
    const id = ++this.#id;
    const { promise, resolve } = Promise.withResolvers<PasteAnswer['answer'] | 'late'>();
    const end = () => resolve('late');
    const timer = setTimeout(() => void worker.terminate(), DEADLINE);
    worker.on('message', (told: PasteAnswer) => told.id === id && resolve(told.answer)).once('exit', end);
    worker.postMessage({ id, asked } satisfies PasteQuestion);
    return promise.finally(() => {
      clearTimeout(timer);
      worker.removeAllListeners('message').off('exit', end);
    });
  }

  #open(): Worker {
    const opened = ownThread(PROGRAM);
    opened.unref();
    // The exit that follows says the same.
    opened.on('error', () => {});
    opened.once('exit', () => {
      if (this.#worker === opened) this.#worker = undefined;
    });
    return opened;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), IDLE).unref();
  }
}
