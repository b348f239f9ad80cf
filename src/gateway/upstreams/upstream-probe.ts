import type { Dispatcher } from 'undici';
import { latin1, type RawFields } from '../message/raw-fields.ts';
import type { ForwardEngine } from './engine.ts';
import type { EngineChoice } from './engine-choice.ts';
import { ForeignAnswer } from './own/invalid-answer.ts';

export interface UpstreamProbe {
  readonly path: string;
  readonly method: 'GET' | 'HEAD';
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly servername: string | undefined;
  /** Milliseconds to the end of the answer. */
  readonly timeout: number;
  /** Bytes of the answer's content that are read. */
  readonly limit: number;
}

export interface UpstreamProbeAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

class AskTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

class AnswerTooLong extends Error {
  readonly code = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** A small request of the gateway itself. Rejects with the connection's error, or if the answer is late or too long. */
export async function probeUpstream(
  carrier: Pick<EngineChoice, 'engine' | 'lenient'>,
  question: UpstreamProbe,
): Promise<UpstreamProbeAnswer> {
  try {
    return await askOver(carrier.engine, question);
  } catch (error) {
    if (!(error instanceof ForeignAnswer)) throw error;
    return askOver(carrier.lenient(), question);
  }
}

function askOver(engine: ForwardEngine, question: UpstreamProbe): Promise<UpstreamProbeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamProbeAnswer>();
  const answer = new AnswerCollector(question, resolve, reject);
  const { path, method, headers, servername, timeout } = question;
  const timeouts = { headersTimeout: timeout, bodyTimeout: timeout };
  const options = { path, method, headers: [...headers], ...(servername !== undefined && { servername }), ...timeouts };
  // undici types the buffers of the raw handler as strings.
  engine.dispatch(options, answer as unknown as Dispatcher.DispatchHandler);
  return promise;
}

/** The methods are undici's dispatch handler. */
class AnswerCollector {
  readonly #resolve: (answer: UpstreamProbeAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #limit: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #abort: ((reason?: Error) => void) | undefined;
  #status = 0;
  #headers: ReadonlyMap<string, string> = new Map();
  #bytes = 0;
  #late = false;

  constructor(
    { limit, timeout }: UpstreamProbe,
    resolve: (answer: UpstreamProbeAnswer) => void,
    reject: (error: Error) => void,
  ) {
    this.#limit = limit;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#giveUp(), timeout);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#late) abort(new AskTimeout('too late'));
  }

  onHeaders(status: number, raw: RawFields): boolean {
    if (status < 200) return true;
    this.#status = status;
    this.#headers = new Map(pairs(raw));
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limit) this.#abort?.(new AnswerTooLong(`more than ${this.#limit} bytes`));
    else this.#chunks.push(chunk);
    return true;
  }

  onComplete(): void {
    clearTimeout(this.#timer);
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) });
  }

  onError(error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(error);
  }

  #giveUp(): void {
    this.#late = true;
    const error = new AskTimeout('no answer in time');
    this.#abort?.(error);
    this.#reject(error);
  }
}

function pairs(raw: RawFields): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[latin1(name).toLowerCase(), latin1(raw[index + 1])] as const] : [],
  );
}
