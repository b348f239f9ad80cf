/** The text is not JSON, or readers could understand it differently. */
export class NotJson extends Error {}

/** A value's place in its text. */
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal';
  readonly start: number;
  readonly end: number;
  /** The decoded text of a string. */
  readonly text: string | undefined;
  /** The names of an object, decoded. Undefined: not an object, or one that is nested deeper than `KEPT`. */
  readonly names: readonly string[] | undefined;
  /** The values of these names. */
  readonly values: readonly JsonNode[];
}

/** Levels of nesting. Readers with a stack of their own refuse deeper values, or fail. */
const DEEPEST = 64;
/** Objects down to this level are kept: those in which a message says what it is about. Others are only read. */
const KEPT = 3;
/** With more names, a set is faster than a look at each. */
const FEW = 16;

const NONE: readonly JsonNode[] = [];

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, MINUS, ZERO, NINE, COLON] = [
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a,
];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

// biome-ignore lint/suspicious/noControlCharactersInRegex: a string must not contain them (RFC 8259 §7).
const CONTROL = /[\u0000-\u001f]/;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?/y;
const LITERALS = ['true', 'false', 'null'];

/**
 * Reads a JSON text in one pass (RFC 8259), without building its value. JSON.parse would build every argument of every
 * call, and would not report a name that occurs twice.
 */
export class JsonScan {
  readonly #text: string;
  /** Whether a string could contain a control character. */
  readonly #hasControl: boolean;
  /** The next backslash. Strings before it have no escapes. */
  #backslash: number;
  /** By depth. */
  readonly #lists: string[][] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasControl = CONTROL.test(text);
    this.#backslash = text.indexOf('\\');
  }

  /** @throws NotJson */
  root(): JsonNode {
    const node = this.#value() as JsonNode;
    if (!Number.isNaN(this.#peek())) throw this.#invalid();
    return node;
  }

  /** The next character that is not whitespace. NaN: the text has ended. */
  #peek(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== NEWLINE && code !== RETURN && code !== TAB) return code;
      this.#at++;
    }
  }

  /** Undefined: the value is in no object that is kept. */
  #value(): JsonNode | undefined {
    const code = this.#peek();
    if (code === OPEN_OBJECT) return this.#object();
    if (code === OPEN_ARRAY) return this.#array();
    const start = this.#at;
    if (code === QUOTE) return this.#node('string', start, this.#string(this.#depth <= KEPT));
    const isNumber = code === MINUS || (code >= ZERO && code <= NINE);
    if (isNumber) this.#skip(NUMBER);
    else this.#literal();
    return this.#node(isNumber ? 'number' : 'literal', start);
  }

  #node(kind: JsonNode['kind'], start: number, text?: string): JsonNode | undefined {
    if (this.#depth > KEPT) return undefined;
    return { kind, start, end: this.#at, text, names: undefined, values: NONE };
  }

  #literal(): void {
    const word = LITERALS.find((each) => this.#text.startsWith(each, this.#at));
    if (word === undefined) throw this.#invalid();
    this.#at += word.length;
  }

  #skip(token: RegExp): void {
    token.lastIndex = this.#at;
    if (!token.test(this.#text)) throw this.#invalid();
    this.#at = token.lastIndex;
  }

  #invalid(): NotJson {
    return new NotJson(`it is not one JSON value (character ${this.#at + 1})`);
  }

  #enter(): number {
    if (++this.#depth > DEEPEST) throw new NotJson(`it is nested more than ${DEEPEST} levels deep`);
    return this.#at++;
  }

  #array(): JsonNode | undefined {
    const start = this.#enter();
    if (this.#peek() === CLOSE_ARRAY) this.#at++;
    else
      do this.#value();
      while (this.#goesOn(CLOSE_ARRAY));
    this.#depth--;
    return this.#node('array', start);
  }

  #object(): JsonNode | undefined {
    const start = this.#enter();
    const isKept = this.#depth <= KEPT;
    const names = isKept ? [] : this.#emptyList();
    const values: JsonNode[] | undefined = isKept ? [] : undefined;
    if (this.#peek() === CLOSE_OBJECT) this.#at++;
    else
      do this.#member(names, values);
      while (this.#goesOn(CLOSE_OBJECT));
    this.#depth--;
    if (names.length > FEW) requireUnique(new Set(names).size === names.length);
    if (isKept) return { kind: 'object', start, end: this.#at, text: undefined, names, values: values ?? NONE };
    return this.#node('object', start);
  }

  /** For the names of an object that is not kept. One list for each level is enough. */
  #emptyList(): string[] {
    const list = this.#lists[this.#depth] ?? [];
    this.#lists[this.#depth] = list;
    list.length = 0;
    return list;
  }

  #member(names: string[], values: JsonNode[] | undefined): void {
    if (this.#peek() !== QUOTE) throw this.#invalid();
    const name = this.#string(true);
    if (names.length < FEW) requireUnique(!names.includes(name));
    names.push(name);
    if (this.#peek() !== COLON) throw this.#invalid();
    this.#at++;
    const value = this.#value();
    if (value !== undefined) values?.push(value);
  }

  /** Whether another element follows. If not, it reads the end. */
  #goesOn(end: number): boolean {
    const code = this.#peek();
    if (code !== COMMA && code !== end) throw this.#invalid();
    this.#at++;
    return code === COMMA;
  }

  /** Returns the decoded text, if it is needed. */
  #string(isNeeded: boolean): string {
    const start = this.#at;
    if (this.#backslash !== -1 && this.#backslash < start) this.#backslash = this.#text.indexOf('\\', start);
    const isEscaped = this.#skipString();
    const quoted = this.#text.slice(start, this.#at);
    if (this.#hasControl && CONTROL.test(quoted)) throw this.#invalid();
    if (isEscaped) return decoded(quoted);
    return isNeeded ? quoted.slice(1, -1) : '';
  }

  /** Returns whether there are escapes. A pattern for the whole string would need a stack as long as the string. */
  #skipString(): boolean {
    let end = this.#text.indexOf('"', ++this.#at);
    let isEscaped = false;
    while (this.#backslash !== -1 && this.#backslash < end) {
      isEscaped = true;
      this.#at = this.#backslash;
      this.#skip(ESCAPE);
      this.#backslash = this.#text.indexOf('\\', this.#at);
      if (end < this.#at) end = this.#text.indexOf('"', this.#at);
    }
    if (end === -1) throw this.#invalid();
    this.#at = end + 1;
    return isEscaped;
  }
}

function requireUnique(isUnique: boolean): void {
  if (!isUnique) throw new NotJson('an object contains the same name twice');
}

function decoded(quoted: string): string {
  const text: string = JSON.parse(quoted);
  if (!text.isWellFormed()) throw new NotJson('a string contains half of a surrogate pair');
  return text;
}
