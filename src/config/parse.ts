import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { growTree } from './grow.ts';
import type { Sources } from './interpolate.ts';
import type { Position } from './problem.ts';
import { findSlips } from './slips.ts';
import type { Tree } from './tree.ts';

export interface Fault {
  readonly at: Position;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface Parsed {
  /** Undefined when the text is not YAML: there is nothing more to say about it. */
  readonly tree: Tree | undefined;
  readonly faults: readonly Fault[];
}

interface Text {
  readonly file: string;
  readonly text: string;
  readonly sources?: Sources;
  readonly origin?: string;
}

/** YAML text as values with places, and everything that is wrong with it as YAML. */
export function parseYaml({ file, text, sources, origin }: Text): Parsed {
  const { parsed, slips } = findSlips(text, parse);
  const { document, lines } = parsed;
  const faults: Fault[] = [];
  const report = (at: Position, message: string, hint?: string) => faults.push({ at, message, hint });
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  for (const slip of slips) report(place(slip.offset), slip.message, slip.hint);
  for (const { offset, message, hint } of complaints(document)) report(place(offset), message, hint);
  if (slips.length > 0 || document.errors.some((error) => error.code !== 'DUPLICATE_KEY'))
    return { tree: undefined, faults };
  const tree = growTree({ document, file, lines, report, ...(sources && { sources }), ...(origin && { origin }) });
  return { tree, faults };
}

function parse(text: string) {
  const lines = new LineCounter();
  return { lines, document: parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true }) };
}

/** Every repeated key, and the first error of any other kind: those that follow it are mostly its echo. */
function complaints(document: Document) {
  const errors: YAMLError[] = [...document.errors, ...document.warnings];
  const repeated = errors.filter((error) => error.code === 'DUPLICATE_KEY');
  const first = errors.find((error) => error.code !== 'DUPLICATE_KEY');
  return [
    ...repeated.map((error) => ({
      offset: error.pos[0],
      message: 'this key stands twice in the same map',
      hint: 'keep one of them',
    })),
    ...(first === undefined ? [] : [{ offset: first.pos[0], ...inOurWords(first) }]),
  ];
}

const words: Partial<Record<YAMLError['code'], { message: string; hint?: string }>> = {
  TAB_AS_INDENT: { message: 'a tab in the indentation', hint: 'YAML is indented with spaces' },
  BLOCK_AS_IMPLICIT_KEY: { message: 'a second `:` in one line', hint: 'put text that contains `: ` in quotes' },
  MULTIPLE_DOCS: { message: 'a second YAML document in the file', hint: 'remove the line `---`' },
  MISSING_CHAR: { message: 'a quote or bracket is not closed, or `:` is missing after a key' },
  TAG_RESOLVE_FAILED: {
    message: 'YAML tags (`!…`) have no meaning here',
    hint: 'put text that starts with `!` in quotes',
  },
};

function inOurWords(error: YAMLError) {
  return words[error.code] ?? { message: `not valid YAML: ${error.message.replace(/:? "[\s\S]*$/, '')}` };
}
