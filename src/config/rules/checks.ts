import type { FileContext } from '../files/referred-file.ts';
import type { Finding, Pointer } from '../words/problem.ts';

/** One rule that a schema cannot express. */
export type Check<Subject> = (subject: Subject) => readonly Finding[];

/** Rules by name. The name is the rule in a few words, and the name of its test. */
export type Checks<Subject> = Readonly<Record<string, Check<Subject>>>;

/** An entry of a list or named map, with its path. */
export interface Member<Value> {
  readonly name: string;
  readonly at: Pointer;
  readonly value: Value;
}

/** The loader's knowledge about the surroundings of the file. */
export interface Surroundings extends FileContext {
  /** The place of a value, such as `gateway.yaml:12`, for messages about two places. */
  readonly cite: (pointer: Pointer) => string;
}

export function membersOf<Value>(
  key: string,
  collection: Readonly<Record<string, Value>> | readonly (Value | undefined)[],
): readonly Member<Value>[] {
  const isList = Array.isArray(collection);
  return Object.entries(collection as Record<string, Value | undefined>).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value, at: [key, isList ? Number(name) : name] }],
  );
}

/** Each entry whose key an earlier entry already has, with this earlier entry. */
export function repeated<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): readonly (readonly [Item, Item])[] {
  const first = new Map<string, Item>();
  return items.flatMap((item) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, item);
    return earlier === undefined ? [] : [[item, earlier] as const];
  });
}

export function runChecks<Subject>(checks: Checks<Subject>, subject: Subject): readonly Finding[] {
  return Object.values(checks).flatMap((check) => check(subject));
}
