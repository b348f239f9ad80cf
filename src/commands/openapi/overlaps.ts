import type { Template } from './template.ts';

interface Node<Item> {
  readonly literals: Map<string, Node<Item>>;
  /** The branch of a parameter, or of text around a parameter. */
  any: Node<Item> | undefined;
  readonly here: Item[];
}

export interface Templated {
  readonly template: Template;
  /** False: no route covers it, so other routes match its requests. */
  readonly isRoute: boolean;
}

/**
 * Finds requests of other templates that a route may match. If two routes match a path, the gateway takes the one whose literal
 * segment comes first. So the other one must be found too.
 */
export class Overlaps<Item extends Templated> {
  readonly #routes = node<Item>();
  readonly #others = node<Item>();
  /** How many places were checked. */
  steps = 0;

  add(item: Item): void {
    let at = item.isRoute ? this.#routes : this.#others;
    for (const segment of item.template) at = segment.kind === 'literal' ? literalOf(at, segment.text) : anyOf(at);
    at.here.push(item);
  }

  /** The items whose requests the route may match, without routes of the same shape. */
  caughtBy(route: Template): readonly Item[] {
    const found: Item[] = [];
    this.#collect(this.#routes, { route, depth: 0, isAhead: false }, found);
    this.#collect(this.#others, { route, depth: 0, isAhead: true }, found);
    return found;
  }

  /** `isAhead`: the gateway tries the route before every route below. */
  #collect(at: Node<Item>, { route, depth, isAhead }: Walk, found: Item[]): void {
    this.steps++;
    const segment = route[depth];
    if (segment === undefined) {
      if (isAhead) found.push(...at.here);
      return;
    }
    const below = (child: Node<Item> | undefined, ahead: boolean) => {
      if (child !== undefined) this.#collect(child, { route, depth: depth + 1, isAhead: ahead }, found);
    };
    below(at.any, isAhead || segment.kind === 'literal');
    if (segment.kind === 'literal') below(at.literals.get(segment.text), isAhead);
    else if (isAhead) for (const child of at.literals.values()) below(child, true);
  }
}

interface Walk {
  readonly route: Template;
  readonly depth: number;
  readonly isAhead: boolean;
}

function node<Item>(): Node<Item> {
  return { literals: new Map(), any: undefined, here: [] };
}

function anyOf<Item>(at: Node<Item>): Node<Item> {
  at.any ??= node();
  return at.any;
}

function literalOf<Item>(at: Node<Item>, text: string): Node<Item> {
  const child = at.literals.get(text) ?? node<Item>();
  at.literals.set(text, child);
  return child;
}
