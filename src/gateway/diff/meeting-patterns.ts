import type { PathSegment } from '../../config/words/path-pattern.ts';

type Pattern = readonly PathSegment[];

interface Node {
  readonly literals: Map<string, Node>;
  one: Node | undefined;
  /** Positions in the list. */
  readonly here: number[];
  readonly rest: number[];
}

/** Finds the patterns that may share a path with another pattern, without comparing all of them. */
export class MeetingPatterns {
  readonly #patterns: readonly Pattern[];
  readonly #root = node();

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
    for (const [index, pattern] of patterns.entries()) insert(this.#root, pattern, index);
  }

  /** In the order of the list. */
  of(pattern: Pattern): readonly Pattern[] {
    const found: number[] = [];
    collect(this.#root, pattern, 0, found);
    return found.sort((one, other) => one - other).map((index) => this.#patterns[index] as Pattern);
  }
}

function node(): Node {
  return { literals: new Map(), one: undefined, here: [], rest: [] };
}

function insert(root: Node, pattern: Pattern, index: number): void {
  let at = root;
  for (const segment of pattern) {
    if (segment.kind === 'rest') {
      at.rest.push(index);
      return;
    }
    at = segment.kind === 'one' ? oneOf(at) : literalOf(at, segment.decoded);
  }
  at.here.push(index);
}

function oneOf(at: Node): Node {
  at.one ??= node();
  return at.one;
}

function literalOf(at: Node, text: string): Node {
  const child = at.literals.get(text) ?? node();
  at.literals.set(text, child);
  return child;
}

function collect(at: Node, pattern: Pattern, depth: number, found: number[]): void {
  found.push(...at.rest);
  const segment = pattern[depth];
  const isRest = segment?.kind === 'rest';
  if (segment === undefined || isRest) found.push(...at.here);
  if (segment === undefined) return;
  for (const child of childrenFor(at, segment)) collect(child, pattern, isRest ? depth : depth + 1, found);
}

function childrenFor(at: Node, segment: PathSegment): readonly Node[] {
  const one = at.one === undefined ? [] : [at.one];
  if (segment.kind !== 'literal') return [...at.literals.values(), ...one];
  const literal = at.literals.get(segment.decoded);
  return literal === undefined ? one : [literal, ...one];
}
