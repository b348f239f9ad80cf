/** A rule's key for operations: `*`, `tools/call`, or `tools/call delete_*`. */
export interface OperationPattern {
  readonly kind: 'pattern';
  readonly method: WordPattern;
  /** Undefined: any name, or none. */
  readonly name: WordPattern | undefined;
}

/** A literal, or a beginning that a `*` follows. */
export interface WordPattern {
  /** Larger is more specific. */
  readonly weight: number;
  fits(word: string | undefined): boolean;
}

export interface OperationFault {
  readonly kind: 'fault';
  readonly message: string;
}

/** The first space ends the method. A name may contain spaces. `form`: the form of the words that the pattern compares. */
export function parseOperation(text: string, form = asItIs): OperationPattern | OperationFault {
  const at = text.indexOf(' ');
  const [method, name] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (method === '' || name === '') return fault(`\`${text}\` lacks a method, or a name after the space`);
  if ([method, name].some((word) => word?.slice(0, -1).includes('*')))
    return fault(`\`${text}\` has a \`*\` that is not at the end of a word`);
  return {
    kind: 'pattern',
    method: wordPattern(method, form),
    name: name === undefined ? undefined : wordPattern(name, form),
  };
}

function asItIs(word: string): string {
  return word;
}

function fault(message: string): OperationFault {
  return { kind: 'fault', message };
}

/** Two literals never fit the same word, so all of them may have the same weight. */
const LITERAL = Number.MAX_SAFE_INTEGER;

function wordPattern(text: string, form: (word: string) => string): WordPattern {
  if (!text.endsWith('*')) return literal(form(text));
  const start = form(text.slice(0, -1));
  return { weight: start.length, fits: (word) => word?.startsWith(start) === true };
}

function literal(text: string): WordPattern {
  return { weight: LITERAL, fits: (word) => word === text };
}
