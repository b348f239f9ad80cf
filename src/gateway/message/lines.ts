import { lazily } from '../../base/lazily.ts';
import { IS_TOKEN, NO_VALUE } from './http-grammar.ts';

/** Lines of HTTP/1.1, and what they say about the message around them. */
export interface WrittenLines {
  /** latin1; each line has its end. */
  readonly text: string;
  readonly hasDate: boolean;
  /** Content-Length is among them. */
  readonly hasLength: boolean;
  /** Transfer-Encoding is among them. */
  readonly hasCoding: boolean;
}

/** Lines of an answer, and how long its content is: undefined if that is not announced. */
export interface SizedLines {
  readonly lines: Lines;
  readonly length: number | undefined;
}

/**
 * A section of fields on its way, or the beginning of one. It never changes, so its text is judged and made once, and a
 * section that goes out again costs one copy.
 */
export class Lines {
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly #written: () => WrittenLines | undefined;

  constructor(fields: readonly string[]) {
    this.fields = fields;
    this.#written = lazily(() => write(fields));
  }

  /** Undefined: a name or a value cannot be in a line. */
  get written(): WrittenLines | undefined {
    return this.#written();
  }
}

/** All names at once, and all values: an expression costs more to start than to run. Only we end lines (RFC 9112 §2.2). */
function write(fields: readonly string[]): WrittenLines | undefined {
  const names = fields.filter((_, index) => index % 2 === 0);
  const values = fields.filter((_, index) => index % 2 === 1);
  if (names.includes('') || NO_VALUE.test(values.join('')) || (names.length > 0 && !IS_TOKEN.test(names.join(''))))
    return undefined;
  const text = names.map((name, index) => `${name}: ${values[index]}\r\n`).join('');
  const has = (wanted: string) => names.some((name) => name.toLowerCase() === wanted);
  return {
    // One flat text. A text of parts would be put together again for each message.
    text: Buffer.from(text, 'latin1').toString('latin1'),
    hasDate: has('date'),
    hasLength: has('content-length'),
    hasCoding: has('transfer-encoding'),
  };
}
