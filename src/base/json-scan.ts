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

/** Levels of nesting. Recursive readers refuse deeper values, or fail. */
const DEEPEST = 64;
/** Objects down to this level are kept: those in which a message says what it is about. Others are only read. */
const KEPT = 3;
/** With more names, a set is faster than a look at each. */
const FEW = 16;

const NONE: readonly JsonNode[] = [];

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, MINUS, ZERO, NINE, COLON] = [
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a,
];
const [POINT, EXPONENT, SMALL_EXPONENT] = [0x2e, 0x45, 0x65];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

// biome-ignore lint/suspicious/noControlCharactersInRegex: a string must not contain them (RFC 8259 §7).
const CONTROL = /[\u0000-\u001f]/;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?/y;
/** By the code of their first character. */
const LITERALS: Readonly<Record<number, string>> = { 116: 'true', 102: 'false', 110: 'null' };

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
  /** The names of the last object that is not kept, by depth. They are unique. */
  readonly #lists: (string[] | undefined)[] = [];
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

  /** V8 calls `charCodeAt` faster if no index is beyond the end. */
  #codeAt(index: number): number {
    return index < this.#text.length ? this.#text.charCodeAt(index) : Number.NaN;
  }

  /** The next character that is not whitespace. NaN: the text has ended. */
  #peek(): number {
    for (;;) {
      const code = this.#codeAt(this.#at);
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
    if (isNumber) this.#number(code);
    else this.#literal(code);
    return this.#node(isNumber ? 'number' : 'literal', start);
  }

  #node(kind: JsonNode['kind'], start: number, text?: string): JsonNode | undefined {
    if (this.#depth > KEPT) return undefined;
    return { kind, start, end: this.#at, text, names: undefined, values: NONE };
  }

  /** Most numbers are a few digits. */
  #number(first: number): void {
    let at = this.#at;
    let code = first;
    while (code >= ZERO && code <= NINE) code = this.#codeAt(++at);
    const isPlain = at > this.#at && (first !== ZERO || at === this.#at + 1);
    if (isPlain && code !== POINT && code !== EXPONENT && code !== SMALL_EXPONENT) this.#at = at;
    else this.#skip(NUMBER);
  }

  #literal(first: number): void {
    const word = LITERALS[first];
    if (word === undefined) throw this.#invalid();
    for (let index = 1; index < word.length; index++)
      if (this.#codeAt(this.#at + index) !== word.charCodeAt(index)) throw this.#invalid();
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
    const names: string[] = isKept ? [] : this.#listOfLast();
    const values: JsonNode[] | undefined = isKept ? [] : undefined;
    let count = 0;
    if (this.#peek() === CLOSE_OBJECT) this.#at++;
    else
      do this.#member(names, count++, values);
      while (this.#goesOn(CLOSE_OBJECT));
    this.#depth--;
    if (names.length > FEW) requireUnique(new Set(names).size === names.length);
    if (isKept) return { kind: 'object', start, end: this.#at, text: undefined, names, values: values ?? NONE };
    return this.#node('object', start);
  }

  /** Objects of a list mostly have the same names, so the names of the last one at this level stay. */
  #listOfLast(): string[] {
    const list = this.#lists[this.#depth];
    if (list !== undefined && list.length <= FEW) return list;
    const made: string[] = [];
    this.#lists[this.#depth] = made;
    return made;
  }

  #member(names: string[], index: number, values: JsonNode[] | undefined): void {
    if (this.#peek() !== QUOTE) throw this.#invalid();
    if (!this.#isNamed(names[index])) this.#name(names, index);
    if (this.#peek() !== COLON) throw this.#invalid();
    this.#at++;
    const value = this.#value();
    if (value !== undefined) values?.push(value);
  }

  /** Whether the name here is this one. It then differs from all names before it. */
  #isNamed(expected: string | undefined): boolean {
    if (expected === undefined) return false;
    const end = this.#at + 1 + expected.length;
    const isIt = this.#codeAt(end) === QUOTE && this.#text.startsWith(expected, this.#at + 1);
    if (isIt) this.#at = end + 1;
    return isIt;
  }

  #name(names: string[], index: number): void {
    const start = this.#at;
    const name = this.#string(true);
    // A decoded text may differ from its spelling, so it cannot be compared with the next spelling.
    if (this.#at - start !== name.length + 2) this.#lists[this.#depth] = undefined;
    if (names.length > index) names.length = index;
    if (index < FEW) requireUnique(!names.includes(name));
    names.push(name);
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
    if (this.#hasControl && CONTROL.test(this.#text.slice(start, this.#at))) throw this.#invalid();
    if (isEscaped) return decoded(this.#text.slice(start, this.#at));
    return isNeeded ? this.#text.slice(start + 1, this.#at - 1) : '';
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
