import type { Pointer } from '../../config/load/load.ts';
import type { CannotSay } from './plan.ts';

/** Judges the value of one key. Undefined: every target can say it, or it concerns only the gateway's own process. */
export type KeyRule<Context> = (value: never, context: Context) => CannotSay | undefined;

/** A row for each key. A key without a row cannot be said, so that a new key never becomes a wider rule. */
export type KeyRules<Block, Context = undefined> = {
  readonly [Key in keyof Block]-?: (value: Exclude<Block[Key], undefined>, context: Context) => CannotSay | undefined;
};

/** The target has an exact counterpart, or the key changes nothing for a request. */
export const sayable = (): undefined => undefined;

export function cannot(why: string, remedy: string): () => CannotSay {
  return () => ({ why, remedy });
}

export interface Unsaid extends CannotSay {
  readonly pointer: Pointer;
}

const UNKNOWN: CannotSay = {
  why: 'this key is unknown to the compiler',
  remedy: 'leave the route to Gatehouse with `--on-unsupported ask`',
};

/** Every key of the block that cannot be said, with its place. */
export function unsaidIn<Block extends object, Context>(
  block: Block,
  rules: KeyRules<Block, Context>,
  place: { readonly pointer: Pointer; readonly context: Context },
): readonly Unsaid[] {
  return Object.entries(block).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const rule = Object.hasOwn(rules, key) ? (rules as Record<string, KeyRule<Context>>)[key] : undefined;
    const reason = rule === undefined ? UNKNOWN : rule(value as never, place.context);
    return reason === undefined ? [] : [{ ...reason, pointer: [...place.pointer, key] }];
  });
}
