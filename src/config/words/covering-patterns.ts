import type { PathSegment } from './path-pattern.ts';

interface Node<Item> {
  readonly literals: Map<string, Node<Item>>;
  one: Node<Item> | undefined;
  readonly here: Item[];
  readonly rest: Item[];
}

/** Finds the patterns that cover another pattern without comparing it with each: a file may have thousands. */
export class CoveringPatterns<Item> {
  readonly #root: Node<Item> = node();

  add(segments: readonly PathSegment[], item: Item): void {
    let at = this.#root;
    for (const segment of segments) {
      if (segment.kind === 'rest') {
        at.rest.push(item);
        return;
      }
      at = below(at, segment);
    }
    at.here.push(item);
  }

  /** The patterns that match every path of these segments, as `covers` defines it; in no particular order. */
  of(segments: readonly PathSegment[]): readonly Item[] {
    const found: Item[] = [];
    collect(this.#root, segments, 0, found);
    return found;
  }
}

function node<Item>(): Node<Item> {
  return { literals: new Map(), one: undefined, here: [], rest: [] };
}

function below<Item>(at: Node<Item>, segment: Exclude<PathSegment, { kind: 'rest' }>): Node<Item> {
  if (segment.kind === 'one') {
    at.one ??= node();
    return at.one;
  }
  const child = at.literals.get(segment.decoded) ?? node<Item>();
  at.literals.set(segment.decoded, child);
  return child;
}

function collect<Item>(at: Node<Item>, segments: readonly PathSegment[], depth: number, found: Item[]): void {
  for (const item of at.rest) found.push(item);
  const segment = segments[depth];
  if (segment === undefined) for (const item of at.here) found.push(item);
  if (segment === undefined || segment.kind === 'rest') return;
  const literal = segment.kind === 'literal' ? at.literals.get(segment.decoded) : undefined;
  if (literal !== undefined) collect(literal, segments, depth + 1, found);
  const isEmpty = segment.kind === 'literal' && segment.decoded === '';
  if (at.one !== undefined && !isEmpty) collect(at.one, segments, depth + 1, found);
}
