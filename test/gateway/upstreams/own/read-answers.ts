import { AnswerReader, type AnswerSink } from '../../../../src/gateway/upstreams/own/answer-reader.ts';

export interface Read {
  /** Status and fields of each head. */
  readonly heads: readonly (readonly [number, readonly string[]])[];
  readonly content: string;
  readonly trailers: readonly string[] | undefined;
  /** After a switch of protocols. */
  readonly rest: string | undefined;
  /** Of the error; undefined: there was none. */
  readonly code: string | undefined;
  /** Without an error. */
  readonly persists: boolean;
}

export interface Reading {
  readonly method?: string;
  readonly upgrades?: boolean;
  /** The upstream ends after the pieces. */
  readonly ends?: boolean;
  /** Whether the sink's call with this number requests a pause. */
  readonly pausesAt?: (call: number) => boolean;
}

const never = (): boolean => false;

/** Reads one answer as a connection does. After a pause it continues once the next piece has arrived, or the end. */
export function readAnswer(pieces: readonly Buffer[], reading: Reading = {}): Read {
  const { method = 'GET', upgrades = false, ends = false, pausesAt = never } = reading;
  const sink = new Noted(pausesAt);
  const reader = new AnswerReader(sink);
  reader.begin({ method, upgrades });
  let code: string | undefined;
  try {
    for (const piece of pieces) {
      if (sink.rest !== undefined) sink.rest += piece.toString('latin1');
      else reader.read(piece);
      // At every other piece, it is still paused.
      if (piece.length % 2 === 0) resumeOnce(reader);
    }
    if (ends && sink.rest === undefined) reader.finish();
    while (reader.isPaused) reader.resume();
  } catch (error) {
    code = (error as NodeJS.ErrnoException).code;
  }
  const { heads, content, trailers, rest } = sink;
  return { heads, content, trailers, rest, code, persists: code === undefined && reader.persists };
}

function resumeOnce(reader: AnswerReader): void {
  if (reader.isPaused) reader.resume();
}

class Noted implements AnswerSink {
  readonly heads: [number, readonly string[]][] = [];
  content = '';
  trailers: readonly string[] | undefined;
  rest: string | undefined;
  readonly #pausesAt: (call: number) => boolean;
  #calls = 0;

  constructor(pausesAt: (call: number) => boolean) {
    this.#pausesAt = pausesAt;
  }

  onHead({ status, fields }: Parameters<AnswerSink['onHead']>[0]): boolean {
    this.heads.push([status, fields]);
    return !this.#pausesAt(this.#calls++);
  }

  onData(chunk: Buffer): boolean {
    if (this.trailers !== undefined) throw new Error('content behind the end');
    this.content += chunk.toString('latin1');
    return !this.#pausesAt(this.#calls++);
  }

  onEnd(trailers: readonly string[]): void {
    if (this.trailers !== undefined) throw new Error('two ends');
    this.trailers = trailers;
  }

  onSwitch({ status, fields }: Parameters<AnswerSink['onSwitch']>[0], rest: Buffer): void {
    this.heads.push([status, fields]);
    this.rest = rest.toString('latin1');
  }
}
