import { lazily } from '../../base/lazily.ts';
import { ownText } from '../../base/own-text.ts';
import { IS_TOKEN, NO_VALUE } from './http-grammar.ts';

/** Lines of HTTP/1.1, and what they say about the message. */
export interface WrittenLines {
  /** latin1, each with its line end. */
  readonly text: string;
  readonly hasDate: boolean;
  /** The lines contain Content-Length. */
  readonly hasLength: boolean;
  /** The lines contain Transfer-Encoding. */
  readonly hasCoding: boolean;
}

/** Lines of an answer, and the announced length of its content. Undefined: no length is announced. */
export interface SizedLines {
  readonly lines: Lines;
  readonly length: number | undefined;
}

/**
 * The fields to send, or the first part of them. The object never changes, so its text is judged and made once. Sending
 * it again costs one copy.
 */
export class Lines {
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly #written: () => WrittenLines | undefined;

  constructor(fields: readonly string[], written?: WrittenLines) {
    this.fields = fields;
    this.#written = written === undefined ? lazily(() => write(fields)) : () => written;
  }

  /** The same lines with another value. `at`: the position of the name. Only the new value is judged. */
  with(at: number, value: string): Lines {
    const { written } = this;
    const fields = this.fields.with(at + 1, value);
    if (written === undefined || NO_VALUE.test(value)) return new Lines(fields);
    return new Lines(fields, { ...written, text: spliced(written.text, this.fields, at, value) });
  }

  /** Undefined: a name or a value is invalid. */
  get written(): WrittenLines | undefined {
    return this.#written();
  }
}

function spliced(text: string, fields: readonly string[], at: number, value: string): string {
  let from = 0;
  for (let i = 0; i < at; i += 2) from += lengthOf(fields, i) + LINE_END;
  from += (fields[at] as string).length + SEPARATOR;
  // A joined string would keep the earlier value in memory, and V8 would join it again for each message.
  return ownText(text.slice(0, from) + value + text.slice(from + (fields[at + 1] as string).length));
}

const SEPARATOR = ': '.length;
const LINE_END = '\r\n'.length;

/** Characters of a line without its end. */
function lengthOf(fields: readonly string[], at: number): number {
  return (fields[at] as string).length + SEPARATOR + (fields[at + 1] as string).length;
}

/**
 * Judges all names at once, and all values, because an expression costs more to start than to run. Only the gateway may
 * end lines (RFC 9112 §2.2).
 */
function write(fields: readonly string[]): WrittenLines | undefined {
  const names = fields.filter((_, index) => index % 2 === 0);
  const values = fields.filter((_, index) => index % 2 === 1);
  if (names.includes('') || NO_VALUE.test(values.join('')) || (names.length > 0 && !IS_TOKEN.test(names.join(''))))
    return undefined;
  const text = names.map((name, index) => `${name}: ${values[index]}\r\n`).join('');
  const has = (wanted: string) => names.some((name) => name.toLowerCase() === wanted);
  return {
    // Makes one flat string. V8 would join a concatenated string again for each message.
    text: ownText(text),
    hasDate: has('date'),
    hasLength: has('content-length'),
    hasCoding: has('transfer-encoding'),
  };
}
