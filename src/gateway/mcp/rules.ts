import { type OperationPattern, parseOperation } from '../../config/words/mcp-operation.ts';
import type { McpOperation } from './message.ts';
import { nameReadings } from './name-readings.ts';

/** What a rule requires, or that it denies. */
export interface McpRule<Value> {
  /** As in the file. */
  readonly text: string;
  readonly value: Value;
}

interface Row<Value> extends McpRule<Value> {
  readonly pattern: OperationPattern;
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

/** The rules of one route, the most specific first. */
export class McpRules<Value> {
  readonly #rows: Row<Value>[] = [];

  /** The pattern was checked when the file was loaded. */
  add(text: string, value: Value): void {
    this.#rows.push({ text, value, pattern: patternOf(text) });
    this.#rows.sort(bySpecificity);
  }

  /** An upstream may normalize or decode the URI of a resource, so every reading of it must have the same rule. */
  find({ method, name }: McpOperation): RuleMatch<Value> {
    const rule = this.#first(method, name);
    if (name !== undefined && !nameReadings(name).every((reading) => this.#first(method, reading) === rule))
      return UNCLEAR;
    return rule === undefined ? NONE : { kind: 'rule', rule };
  }

  *values(): Iterable<Value> {
    for (const { value } of this.#rows) yield value;
  }

  #first(method: string, name: string | undefined): Row<Value> | undefined {
    return this.#rows.find(({ pattern }) => pattern.method.fits(method) && (pattern.name?.fits(name) ?? true));
  }
}

function patternOf(text: string): OperationPattern {
  const pattern = parseOperation(text);
  if (pattern.kind === 'fault') throw new Error(pattern.message);
  return pattern;
}

/** A name is more specific than a method, and a longer text more than a shorter one. */
function bySpecificity<Value>({ pattern: one }: Row<Value>, { pattern: other }: Row<Value>): number {
  return (other.name?.weight ?? -1) - (one.name?.weight ?? -1) || other.method.weight - one.method.weight;
}
