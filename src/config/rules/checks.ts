import type { FileContext } from '../files/referred-file.ts';
import type { Finding, Pointer } from '../words/problem.ts';

/** One rule that a schema cannot say. */
export type Check<Subject> = (subject: Subject) => readonly Finding[];

/** Rules by name: the name is the rule in a few words, and names its test. */
export type Checks<Subject> = Readonly<Record<string, Check<Subject>>>;

/** An entry of a list or named map with the way to it. */
export interface Member<Value> {
  readonly name: string;
  readonly at: Pointer;
  readonly value: Value;
}

/** What the loader knows of the file's surroundings. */
export interface Surroundings extends FileContext {
  /** Where a value stands, such as `gateway.yaml:12`, for messages about two places. */
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

/** Every entry whose key an earlier one has, with that earlier one. */
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
