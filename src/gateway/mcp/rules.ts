import { type OperationPattern, parseOperation } from '../../config/words/mcp-operation.ts';
import type { McpOperation } from './message.ts';
import { looseName, nameReadings } from './name-readings.ts';

/** What a rule requires, or that it denies. */
export interface McpRule<Value> {
  /** As in the file. */
  readonly text: string;
  readonly value: Value;
}

interface Row<Value> extends McpRule<Value> {
  readonly pattern: OperationPattern;
  /** For names in the form of `looseName`. */
  readonly loose: OperationPattern;
}

/**
 * - `rule`: the most specific rule.
 * - `unclear`: two readings of the name have different rules.
 * - `none`: no rule matches.
 */
export type RuleMatch<Value> =
  | { readonly kind: 'rule'; readonly rule: McpRule<Value> }
  | { readonly kind: 'unclear' }
  | { readonly kind: 'none' };

const NONE = { kind: 'none' } as const;
const UNCLEAR = { kind: 'unclear' } as const;

/** Remembered operations, and the characters of each. */
const KNOWN = 500;
const LONGEST = 200;

const NO_NAME = Symbol('no name');
type Name = string | typeof NO_NAME;

/** The rules of one route, the most specific first. */
export class McpRules<Value> {
  readonly #rows: Row<Value>[] = [];
  /** Clients call few tools often. */
  readonly #known = new Map<string, Map<Name, RuleMatch<Value>>>();
  #size = 0;

  /** The pattern was checked when the file was loaded. */
  add(text: string, value: Value): void {
    this.#rows.push({ text, value, pattern: patternOf(text), loose: patternOf(text, looseName) });
    this.#rows.sort(bySpecificity);
    this.#forget();
  }

  /** An upstream may ignore case, or decode the URI of a resource. So every reading of it must have the same rule. */
  find(operation: McpOperation): RuleMatch<Value> {
    const known = this.#known.get(operation.method)?.get(operation.name ?? NO_NAME);
    if (known !== undefined) return known;
    const found = this.#search(operation);
    this.#remember(operation, found);
    return found;
  }

  /** A client that invents names makes the gateway forget the others, which costs only a search. */
  #remember({ method, name }: McpOperation, found: RuleMatch<Value>): void {
    if (method.length + (name?.length ?? 0) > LONGEST) return;
    if (this.#size++ >= KNOWN) this.#forget();
    const names = this.#known.get(method) ?? new Map<Name, RuleMatch<Value>>();
    this.#known.set(method, names.set(name ?? NO_NAME, found));
  }

  #forget(): void {
    this.#known.clear();
    this.#size = 0;
  }

  #search({ method, name }: McpOperation): RuleMatch<Value> {
    const rule = this.#rows.find(({ pattern }) => fits(pattern, method, name));
    if (!this.#isClear(looseName(method.trim()), name, rule)) return UNCLEAR;
    return rule === undefined ? NONE : { kind: 'rule', rule };
  }

  *values(): Iterable<Value> {
    for (const { value } of this.#rows) yield value;
  }

  #isClear(method: string, name: string | undefined, rule: Row<Value> | undefined): boolean {
    if (name === undefined) return this.#isOf(rule, method, undefined);
    if (!this.#rows.some(({ loose }) => loose.name !== undefined && loose.method.fits(method)))
      return this.#isOf(rule, method, undefined);
    const readings = nameReadings(name, method.startsWith('resources/'));
    if (readings === undefined || !readings.likely.every((reading) => this.#isOf(rule, method, reading))) return false;
    return readings.partial.every((reading) => {
      const found = this.#loosely(method, reading);
      return found === rule || found === undefined || (rule !== undefined && bySpecificity(rule, found) <= 0);
    });
  }

  /** Two rules may differ only in case. The rule that fits exactly then counts. */
  #isOf(rule: Row<Value> | undefined, method: string, reading: string | undefined): boolean {
    const found = this.#loosely(method, reading);
    if (found === rule) return true;
    if (found === undefined || rule === undefined) return false;
    return bySpecificity(rule, found) === 0 && fits(rule.loose, method, reading);
  }

  #loosely(method: string, reading: string | undefined): Row<Value> | undefined {
    return this.#rows.find(({ loose }) => fits(loose, method, reading));
  }
}

function fits(pattern: OperationPattern, method: string, name: string | undefined): boolean {
  return pattern.method.fits(method) && (pattern.name?.fits(name) ?? true);
}

function patternOf(text: string, form?: (word: string) => string): OperationPattern {
  const pattern = parseOperation(text, form);
  if (pattern.kind === 'fault') throw new Error(pattern.message);
  return pattern;
}

/** A name is more specific than a method, and a longer text more than a shorter one. */
function bySpecificity<Value>({ pattern: one }: Row<Value>, { pattern: other }: Row<Value>): number {
  return (other.name?.weight ?? -1) - (one.name?.weight ?? -1) || other.method.weight - one.method.weight;
}
