import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { MOST_DEPTH } from '../words/depth.ts';
import type { Position } from '../words/problem.ts';
import { aliasTargets } from './alias-targets.ts';
import { interpolate, type Sources } from './interpolate.ts';
import type { Entry, Plain, Tree } from './tree.ts';
import { nestedTooDeep } from './yaml-words.ts';

/**
 * A few lines of nested aliases would make billions of values. Values in the file itself do not count, because their author
 * wrote each.
 */
const mostValues = 100_000;

/** Characters. Many rules read each one, and very many aliases may repeat one large text. */
const mostText = 4 * 1024 * 1024;

const QUOTE_STAR = 'put text that starts with `*` in quotes';

export interface Soil {
  readonly document: Document;
  readonly file: string;
  readonly lines: LineCounter;
  /** Absent: text stays unchanged. */
  readonly sources?: Sources;
  /** A text from a variable is never shown. */
  readonly origin?: string;
  readonly report: (at: Position, message: string, hint?: string) => void;
}

/** Converts parsed YAML to values with positions. Aliases and merge keys are resolved, and variables replaced. */
export function growTree(soil: Soil): Tree {
  return new Grower(soil).grow(soil.document.contents, { file: soil.file, line: 1, column: 1 });
}

class Grower {
  readonly #soil: Soil;
  readonly #open = new Set<Node>();
  #targets: ReturnType<typeof aliasTargets> | undefined;
  /** The aliases on the current path. */
  #followed = 0;
  /** The number of values that come from aliases. */
  #values = 0;
  /** The number of characters that come from aliases and variables. */
  #text = 0;

  constructor(soil: Soil) {
    this.#soil = soil;
  }

  grow(node: unknown, parent: Position): Tree {
    const at = this.#position(node, parent);
    if (this.#followed > 0) this.#values++;
    if (this.#values > mostValues) return this.#refuse(at, `the file has more than ${mostValues} values`);
    if (isAlias(node)) return this.#follow(node, at);
    if (isScalar(node)) return this.#scalar(node.value, at);
    if (isSeq(node))
      return this.#guard(node, at, () => ({ kind: 'list', at, items: node.items.map((item) => this.grow(item, at)) }));
    if (isMap(node)) return this.#guard(node, at, () => ({ kind: 'map', at, entries: this.#entries(node, at) }));
    return { kind: 'scalar', value: null, at };
  }

  #position(node: unknown, parent: Position): Position {
    const offset = (node as Node | null)?.range?.[0];
    if (offset === undefined || parent.line === 0) return parent;
    const { line, col } = this.#soil.lines.linePos(offset);
    return { file: this.#soil.file, line, column: col };
  }

  #refuse(at: Position, message: string, hint?: string): Tree {
    if (this.#values <= mostValues + 1) this.#soil.report(at, message, hint);
    return { kind: 'scalar', value: null, at };
  }

  #follow(alias: Alias, at: Position): Tree {
    this.#targets ??= aliasTargets(this.#soil.document);
    const target = this.#targets.get(alias);
    // The name of the alias may be a secret that starts with `*`.
    if (target === undefined) return this.#refuse(at, 'this alias (`*…`) names no anchor above it', QUOTE_STAR);
    this.#followed++;
    const tree = this.grow(target, at);
    this.#followed--;
    return tree;
  }

  #guard(node: Node, at: Position, build: () => Tree): Tree {
    if (this.#values > mostValues) return { kind: 'scalar', value: null, at };
    if (this.#open.has(node)) return this.#refuse(at, 'an alias inside its own anchor');
    if (this.#open.size >= MOST_DEPTH) return this.#refuse(at, nestedTooDeep.message, nestedTooDeep.hint);
    this.#open.add(node);
    const tree = build();
    this.#open.delete(node);
    return tree;
  }

  #scalar(value: unknown, at: Position): Tree {
    const { sources, origin, report } = this.#soil;
    if (this.#followed > 0 && typeof value === 'string' && !this.#hasRoomFor(value)) return this.#tooMuchText(at);
    if (typeof value !== 'string' || !value.includes('${') || sources === undefined) {
      return { kind: 'scalar', value: toPlain(value), at, ...(origin !== undefined && { origin }) };
    }
    const filled = interpolate(value, sources);
    if (filled.ok && !this.#hasRoomFor(filled.text)) return this.#tooMuchText(at);
    if (filled.ok) {
      const { text, whole, withheld } = filled;
      return { kind: 'scalar', value: text, at, origin: value, untyped: whole, ...(withheld && { withheld }) };
    }
    report(at, filled.message, filled.hint);
    return { kind: 'scalar', value: null, at, origin: value };
  }

  #hasRoomFor(text: string): boolean {
    this.#text += text.length;
    return this.#text <= mostText;
  }

  /** Reports this once, and builds nothing after it. */
  #tooMuchText(at: Position): Tree {
    const tree = this.#refuse(at, `with its aliases and variables, the file has more than ${mostText} characters`);
    this.#values = mostValues + 2;
    return tree;
  }

  #entries(map: YAMLMap, at: Position): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const pair of map.items) if (!isMerge(pair)) this.#addPair(entries, pair, at);
    const merges = map.items.filter(isMerge);
    for (const { key } of merges.slice(1)) this.#twice(this.#position(key, at));
    for (const { value } of merges) this.#merge(entries, this.grow(value, at));
    return entries;
  }

  #addPair(entries: Map<string, Entry>, pair: Pair, parent: Position): void {
    const key = this.#position(pair.key, parent);
    const name = isScalar(pair.key) ? String(pair.key.value ?? '') : undefined;
    if (name === undefined) this.#soil.report(key, 'a key must be a plain word');
    else if (name === '__proto__') this.#soil.report(key, '`__proto__` cannot be a name here');
    else {
      if (entries.has(name)) this.#twice(key);
      if (this.#followed > 0 && !this.#hasRoomFor(name)) this.#tooMuchText(key);
      entries.set(name, { key, value: this.grow(pair.value, key) });
    }
  }

  #twice(key: Position): void {
    this.#soil.report(key, 'this key occurs twice in the same map', 'keep one of them');
  }

  /** Keys of the map itself win, then keys of the first merged map. */
  #merge(entries: Map<string, Entry>, merged: Tree): void {
    if (merged.kind === 'list') for (const item of merged.items) this.#merge(entries, item);
    else if (merged.kind === 'scalar') this.#soil.report(merged.at, '`<<` needs a map, or an alias of a map');
    else for (const [name, entry] of merged.entries) if (!entries.has(name)) entries.set(name, entry);
  }
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && typeof pair.key.value === 'symbol';
}

function toPlain(value: unknown): Plain {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
