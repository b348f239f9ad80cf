import { type Document, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { deeperThan, MOST_DEPTH } from '../words/depth.ts';
import type { Position } from '../words/problem.ts';
import type { Sources } from './interpolate.ts';
import { findLayoutSlip } from './layout-slip.ts';
import type { Tree } from './tree.ts';
import { findSlips } from './unquoted-braces.ts';
import { growTree } from './yaml-tree-builder.ts';
import { inOurWords, nestedTooDeep } from './yaml-words.ts';

export interface Fault {
  readonly at: Position;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Absent: an error. */
  readonly severity?: 'warning' | undefined;
}

export interface Parsed {
  /** Undefined if the text is not YAML, and then nothing else is known about it. */
  readonly tree: Tree | undefined;
  /** The parsed text; null: the text is empty. */
  readonly contents: ParsedNode | null | undefined;
  readonly faults: readonly Fault[];
}

interface Text {
  readonly file: string;
  readonly text: string;
  readonly sources?: Sources;
  readonly origin?: string;
}

/** Converts YAML text to values with positions, and returns all YAML faults. */
export function parseYaml({ file, text, sources, origin }: Text): Parsed {
  const { parsed, slips, repaired } = findSlips(text, parse);
  const { document, lines } = parsed;
  const faults: Fault[] = [];
  const report = (at: Position, message: string, hint?: string) => faults.push({ at, message, hint });
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  for (const slip of slips) report(place(slip.offset), slip.message, slip.hint);
  const layout = findLayoutSlip(repaired, parsed, parse);
  for (const { offset, message, hint } of layout === undefined ? complaints(document) : [layout])
    report(place(offset), message, hint);
  if (slips.length > 0 || document.errors.length > 0) return { tree: undefined, contents: undefined, faults };
  const tooDeep = deeperThan(MOST_DEPTH, document.contents);
  if (tooDeep !== undefined) {
    const { message, hint } = nestedTooDeep;
    report(place(tooDeep.range?.[0] ?? 0), message, hint);
    return { tree: undefined, contents: undefined, faults };
  }
  const tree = growTree({ document, file, lines, report, ...(sources && { sources }), ...(origin && { origin }) });
  return { tree, contents: document.contents, faults };
}

/** The tree builder finds duplicate keys: the parser would compare each key with all others of its map. */
const OPTIONS = { prettyErrors: false, merge: true, uniqueKeys: false } as const;

function parse(text: string) {
  const lines = new LineCounter();
  const document = withoutStacks(() => parseDocument(text, { ...OPTIONS, lineCounter: lines }));
  return { lines, document };
}

/** A large file that is not YAML has very many errors. Their unused stack traces would take half of the time. */
function withoutStacks<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Only the first error, because later errors mostly result from it. */
function complaints({ errors, warnings }: Document) {
  const [first] = [...errors, ...warnings];
  return first === undefined ? [] : [{ offset: first.pos[0], ...inOurWords(first) }];
}
