import type { Duplex } from 'node:stream';
import type { Seen, SeenHead } from './answer-case.ts';

/** Records what an engine reports. The methods are undici's dispatch handler; fields come as buffers or as strings. */
export class HeardAnswer {
  readonly #heads: SeenHead[] = [];
  #content = '';
  #trailers: readonly string[] = [];
  #end: Seen['end'] = 'waiting';
  #error: Error | undefined;
  #ends = 0;

  onConnect(): void {}

  onHeaders(status: number, fields: readonly (Buffer | string)[]): boolean {
    this.#heads.push({ status, fields: fields.map(latin1) });
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#content += latin1(chunk);
    return true;
  }

  onComplete(trailers: readonly (Buffer | string)[] | null): void {
    this.#trailers = (trailers ?? []).map(latin1);
    this.#finish('complete');
  }

  onError(error: Error): void {
    this.#error = error;
    this.#finish('failed');
  }

  onUpgrade(status: number, fields: readonly (Buffer | string)[] | null, socket: Duplex): void {
    this.#heads.push({ status, fields: (fields ?? []).map(latin1) });
    socket.resume().on('data', (chunk: Buffer) => {
      this.#content += latin1(chunk);
    });
    this.#finish('switched');
  }

  get isOver(): boolean {
    return this.#end !== 'waiting';
  }

  seen(isOpen: boolean): Seen {
    if (this.#ends > 1) throw new Error('the end of an answer was told twice');
    const [heads, content, trailers, end, error] = [this.#heads, this.#content, this.#trailers, this.#end, this.#error];
    return { heads, content, trailers, end, error, isKept: end === 'complete' && isOpen };
  }

  #finish(end: Seen['end']): void {
    this.#end = end;
    this.#ends++;
  }
}

function latin1(bytes: Buffer | string): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('latin1');
}
