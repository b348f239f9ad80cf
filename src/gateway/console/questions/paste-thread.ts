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

/** `ready` is the first message of a thread, after it has loaded its code. */
export type PasteMessage = PasteAnswer | 'ready';

/** `busy`: too many wait. `late`: the text took too long or too much memory. */
export type Unjudged = 'busy' | 'late';

const PROGRAM = ownProgram('paste-worker', import.meta.url);
/** Milliseconds. */
interface Limits {
  /** For one text. A file with a thousand routes takes a second. */
  readonly text: number;
  /** For the start of the thread, which takes long on a busy machine. No text can make it longer. */
  readonly start: number;
}

const LIMITS: Limits = { text: 10_000, start: 60_000 };
/** Milliseconds without a question, after which the thread ends. */
const IDLE = 60_000;
const MOST_WAITING = 8;

/** One thread, which judges one pasted text at a time. A text cannot hold up the requests of the gateway. */
export class PasteThread {
  #worker: Worker | undefined;
  #isReady = false;
  readonly #start: () => Worker;
  readonly #limits: Limits;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #id = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(start = () => ownThread(PROGRAM), limits = LIMITS) {
    this.#start = start;
    this.#limits = limits;
  }

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
    const stopLimit = this.#limit(worker);
    const hear = (told: PasteMessage) => void (told !== 'ready' && told.id === id && resolve(told.answer));
    worker.on('message', hear).once('exit', end);
    worker.postMessage({ id, asked } satisfies PasteQuestion);
    return promise.finally(() => {
      stopLimit();
      worker.off('message', hear).off('exit', end);
    });
  }

  /** Ends a thread that does not start in time, or that judges a text for too long. */
  #limit(worker: Worker): () => void {
    const terminate = () => void worker.terminate();
    const { text, start } = this.#limits;
    let timer = setTimeout(terminate, this.#isReady ? text : start);
    const hear = (told: PasteMessage) => {
      if (told !== 'ready') return;
      this.#isReady = true;
      clearTimeout(timer);
      timer = setTimeout(terminate, text);
    };
    worker.on('message', hear);
    return () => {
      clearTimeout(timer);
      worker.off('message', hear);
    };
  }

  #open(): Worker {
    const opened = this.#start();
    this.#isReady = false;
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
