import { isUtf8 } from 'node:buffer';

/** The value of the bytes, or why another reader could find another value in them. */
export type StrictJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly detail: string };

/** Levels of nesting. Readers with a stack of their own refuse deeper values, or fail. */
const DEEPEST = 64;

/**
 * Reads JSON that every reader understands in the same way (RFC 7493). RFC 8259 leaves open what a reader does with a
 * name that occurs twice, with invalid UTF-8, or with half of a surrogate pair, and readers differ.
 */
export function readStrictJson(bytes: Buffer): StrictJson {
  if (!isUtf8(bytes)) return fault('it is not UTF-8');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('it is not one JSON value');
  }
  const detail = new Scan(text).fault();
  return detail === undefined ? { kind: 'json', value } : fault(detail);
}

function fault(detail: string): StrictJson {
  return { kind: 'fault', detail };
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Walks a valid JSON text once, and looks for what `JSON.parse` does not report. */
class Scan {
  readonly #text: string;
  /** The names of each open object. Undefined: an open array. */
  readonly #open: (Set<string> | undefined)[] = [];
  /** Whether the next string is a name. */
  #isName = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined: there is none. */
  fault(): string | undefined {
    for (let at = 0; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        const end = this.#endOfString(at);
        const fault = this.#string(this.#text.slice(at, end + 1));
        if (fault !== undefined) return fault;
        at = end;
      } else if (this.#step(code)) return `it is nested more than ${DEEPEST} levels deep`;
    }
    return undefined;
  }

  /** True: too deep. */
  #step(code: number): boolean {
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#open.push(code === OPEN_OBJECT ? new Set() : undefined);
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#open.pop();
    if (code === OPEN_OBJECT || code === COMMA) this.#isName = this.#open.at(-1) !== undefined;
    else if (code === COLON || code === OPEN_ARRAY) this.#isName = false;
    return this.#open.length > DEEPEST;
  }

  #endOfString(start: number): number {
    let end = this.#text.indexOf('"', start + 1);
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    return end;
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.#text.charCodeAt(before) === BACKSLASH) before--;
    return (at - before) % 2 === 0;
  }

  #string(quoted: string): string | undefined {
    const hasEscape = quoted.includes('\\');
    const text: string = hasEscape ? JSON.parse(quoted) : quoted.slice(1, -1);
    if (hasEscape && !text.isWellFormed()) return 'a string contains half of a surrogate pair';
    if (!this.#isName) return undefined;
    const names = this.#open.at(-1) as Set<string>;
    if (names.has(text)) return 'an object contains the same name twice';
    names.add(text);
    return undefined;
  }
}
