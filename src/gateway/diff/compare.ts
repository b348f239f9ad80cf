import type { Outcome } from '../decide/outcome.ts';
import { answerInWords } from '../explain/explained-words.ts';
import { type AssumedCaller, answerTo, callersFor, type Met, meet } from './callers.ts';
import { changedSettings } from './changed-settings.ts';
import { MetRoutes } from './changed-treatment.ts';
import type { CompiledFile } from './compiled-file.ts';
import { type ProbeRequest, probes } from './probes.ts';

/** What one caller may newly do, or may no longer do. */
export interface PermissionChange {
  /** `doubtful`: the result depends on a `when` that differs between the two files. */
  readonly change: 'opened' | 'closed' | 'doubtful';
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  readonly path: string;
  readonly callers: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** A route with a `when`, which depends on more than a probe can vary. */
export interface Undecided {
  readonly route: string;
  readonly at: string | undefined;
}

export interface Comparison {
  readonly changes: readonly PermissionChange[];
  readonly undecided: readonly Undecided[];
  /** Changed settings that no probe can test. */
  readonly settings: readonly string[];
}

export async function compare(old: CompiledFile, now: CompiledFile): Promise<Comparison> {
  const changes: PermissionChange[] = [];
  const met = new MetRoutes();
  for (const probe of probes([old, now])) changes.push(...(await changesAt(probe, old, now, met)));
  const told = inSum(changes).filter(({ change }) => change !== 'doubtful');
  return {
    changes: told.toSorted(openedFirst),
    undecided: [...whens(old), ...whens(now)],
    settings: [...new Set([...changedSettings(old.config, now.config), ...met.changed(old, now)])],
  };
}

/** One entry for each shape of requests that change in the same way. */
export function inSum(changes: readonly PermissionChange[]): readonly PermissionChange[] {
  return merged(merged(byCaller(changes), 'methods'), 'hosts');
}

function openedFirst(one: PermissionChange, other: PermissionChange): number {
  return Number(one.change === 'closed') - Number(other.change === 'closed');
}

/** How the result of one request changes, for each caller. `met` gets the two routes. */
export async function changesAt(
  probe: ProbeRequest,
  old: CompiledFile,
  now: CompiledFile,
  met: MetRoutes,
): Promise<PermissionChange[]> {
  const [before, after] = [await meet(old, probe.asked), await meet(now, probe.asked)];
  met.note(before, after);
  const callers = callersFor(before, after);
  const changes: PermissionChange[] = [];
  for (const caller of callers) {
    const change = await changeFor(probe, caller, before, after);
    if (change !== undefined) changes.push(change);
  }
  return changes.length === callers.length && areAlike(changes)
    ? changes.map((change) => ({ ...change, callers: ['every caller'] }))
    : changes;
}

function areAlike(changes: readonly PermissionChange[]): boolean {
  return new Set(changes.map(answersOf)).size <= 1;
}

/** The change itself, without its callers. */
function answersOf({ callers: _, ...change }: PermissionChange): string {
  return JSON.stringify(change);
}

async function changeFor(
  { asked, host, method, path }: ProbeRequest,
  caller: AssumedCaller,
  old: Met,
  now: Met,
): Promise<PermissionChange | undefined> {
  const before = await answerTo(caller, asked, old);
  const after = await answerTo(caller, asked, now);
  // The same condition in both files passes the same requests, so the rest can be compared.
  const same = whenOf(old) === whenOf(now);
  const change =
    directions[
      `${openness(before, !same && whenOf(old) !== undefined)}-${openness(after, !same && whenOf(now) !== undefined)}`
    ];
  if (change === undefined) return undefined;
  const words = { before: answerInWords(before), after: answerInWords(after) };
  return { change, hosts: [host], methods: [method], path, callers: [caller.label], ...words };
}

type Openness = 'open' | 'shut' | 'perhaps';

/** Undefined: no caller gains or loses access, as far as is known. */
const directions: Partial<Record<`${Openness}-${Openness}`, PermissionChange['change']>> = {
  'shut-open': 'opened',
  'open-shut': 'closed',
  'shut-perhaps': 'doubtful',
  'perhaps-open': 'doubtful',
  'perhaps-perhaps': 'doubtful',
};

function openness(outcome: Outcome, conditional: boolean): Openness {
  if (outcome.kind !== 'forward') return 'shut';
  // A route in shadow mode forwards whatever its condition says.
  return conditional && outcome.shadow === undefined ? 'perhaps' : 'open';
}

function whenOf({ side, judged }: Met): string | undefined {
  return side.written(judged.route)?.when;
}

function whens(side: CompiledFile): readonly Undecided[] {
  return side.routes.flatMap((route) =>
    side.written(route)?.when === undefined ? [] : [{ route: route.id, at: route.at }],
  );
}

/** One entry for all callers with the same old and the same new answer. */
function byCaller(changes: readonly PermissionChange[]): readonly PermissionChange[] {
  return grouped(changes, answersOf).map((group) => ({
    ...(group[0] as PermissionChange),
    callers: [...new Set(group.flatMap(({ callers }) => callers))],
  }));
}

function merged(changes: readonly PermissionChange[], member: 'methods' | 'hosts'): readonly PermissionChange[] {
  const groups = grouped(changes, (change) => JSON.stringify({ ...change, [member]: undefined }));
  return groups.map((group) => ({
    ...(group[0] as PermissionChange),
    [member]: [...new Set(group.flatMap((change) => change[member]))],
  }));
}

export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  return [...Map.groupBy(items, keyOf).values()];
}
