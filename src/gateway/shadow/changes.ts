import { callerOf } from './caller.ts';
import type { ShadowLine } from './read-line.ts';

/** A change that the API or its callers will notice, in refused requests and in others. */
export interface ShadowChange {
  /**
   * - `dropped`: the gateway already removes the field.
   * - `will_drop`: enforcement will remove the field.
   * - `will_time_out`: the answer began later than enforcement waits.
   */
  readonly kind: 'dropped' | 'will_drop' | 'will_time_out';
  /** In lower case. Undefined: the change concerns no field. */
  readonly field: string | undefined;
  readonly route: string | undefined;
  count: number;
  /** The first callers. */
  readonly callers: Set<string>;
}

const CALLERS = 3;
/** Callers can invent any number of field names. */
const MOST = 1_000;

export function addChanges(changes: Map<string, ShadowChange>, line: ShadowLine): void {
  for (const field of line.drops) add(changes, line, 'dropped', field);
  for (const field of line.dropsLater) add(changes, line, 'will_drop', field);
  if (line.timesOut) add(changes, line, 'will_time_out', undefined);
}

function add(
  changes: Map<string, ShadowChange>,
  line: ShadowLine,
  kind: ShadowChange['kind'],
  field: string | undefined,
): void {
  const { route } = line;
  const key = JSON.stringify([kind, field, route]);
  const before = changes.get(key);
  if (before === undefined && changes.size >= MOST) return;
  const change = before ?? { kind, field, route, count: 0, callers: new Set<string>() };
  changes.set(key, change);
  change.count++;
  const caller = callerOf(line);
  if (caller !== undefined && change.callers.size < CALLERS) change.callers.add(caller);
}
