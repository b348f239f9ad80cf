import { addCaller, type Callers, callersOf } from './caller.ts';
import { addChanges, type ShadowChange } from './changes.ts';
import { addInSpite, type InSpite } from './in-spite.ts';
import { addPrint, differentKeys, type KeysSeen, keysOf } from './keys-seen.ts';
import { readShadowLine, type ShadowLine } from './read-line.ts';

/** Requests to one route that would be refused for one reason. They have one client, or all have no known client. */
export interface Group {
  /** Undefined: no verified client. */
  readonly client: string | undefined;
  /** Requests of unknown clients, by address and User-Agent. */
  readonly callers: Callers;
  /** Undefined: no route. */
  readonly route: string | undefined;
  /** For an `mcp` route: the method, and the tool, prompt or resource. */
  readonly operation: string | undefined;
  readonly code: string;
  readonly reason: string | undefined;
  readonly missing: string | undefined;
  readonly found: string | undefined;
  /** Credentials that all these requests have. */
  readonly seen: readonly string[];
  /** Values that look like API keys. Undefined: there are none, or no route matched. */
  readonly keys: KeysSeen | undefined;
  /** The scopes that the route accepts, as alternatives. */
  readonly needed: readonly string[];
  count: number;
  /** Wall clock, milliseconds. */
  first: number;
  last: number;
  /** The scopes that every one of these requests held. */
  held: readonly string[];
  readonly examples: Set<string>;
  readonly methods: Set<string>;
  readonly subjects: Set<string>;
}

export interface ShadowReport {
  /** Most frequent first. */
  readonly groups: readonly Group[];
  readonly refused: number;
  /** This count is complete only if the log has level debug, which also logs requests that pass. */
  readonly passed: number;
  readonly other: number;
  readonly bad: BadLines;
  /** Counted requests that are in no group, because there are too many groups. */
  readonly leftOut: number;
  /** Changes that enforcement will make to requests, refused or not. Most frequent first. */
  readonly changes: readonly ShadowChange[];
  /** Requests that were refused although nothing enforces. Most frequent first. */
  readonly inSpite: readonly InSpite[];
  /** Time of day in milliseconds of the first and the last line of shadow mode. Undefined: there are none. */
  readonly span: Span | undefined;
}

export interface Span {
  first: number;
  last: number;
}

export interface BadLines {
  readonly count: number;
  /** The numbers of the first bad lines. */
  readonly lines: readonly number[];
}

const EXAMPLES = 3;
const SUBJECTS = 3;
const BAD_NAMED = 10;
/** A stranger can invent any number of paths, and such a log must not fill the memory. */
const MOST_GROUPS = 10_000;
/** Groups that are reserved for verified clients after strangers have filled the list. */
const KEPT_FOR_CLIENTS = 2_000;

export async function shadowReport(lines: AsyncIterable<string>): Promise<ShadowReport> {
  const reader = new Reader();
  for await (const text of lines) reader.read(text);
  return reader.report();
}

class Reader {
  readonly #groups = new Map<string, Group>();
  readonly #changes = new Map<string, ShadowChange>();
  readonly #inSpite = new Map<string, InSpite>();
  readonly #counts = { refused: 0, passed: 0, other: 0, bad: 0 };
  readonly #badLines: number[] = [];
  #span: Span | undefined;
  #leftOut = 0;
  #number = 0;

  read(text: string): void {
    this.#number++;
    if (text.trim() === '') return;
    const line = readShadowLine(text);
    if (typeof line !== 'string') this.#add(line);
    else {
      this.#counts[line]++;
      if (line === 'bad' && this.#badLines.length < BAD_NAMED) this.#badLines.push(this.#number);
    }
  }

  #add(line: ShadowLine): void {
    const isInSpite = addInSpite(this.#inSpite, line);
    if (line.shadow === undefined) {
      if (!isInSpite) this.#counts.other++;
      return;
    }
    this.#span = widened(this.#span, line.time);
    addChanges(this.#changes, line);
    if (line.shadow === 'pass') this.#counts.passed++;
    else {
      this.#counts.refused++;
      if (!addGroup(this.#groups, line, line.shadow)) this.#leftOut++;
    }
  }

  report(): ShadowReport {
    const { bad, ...rest } = this.#counts;
    return {
      ...rest,
      groups: mostFirst(this.#groups),
      bad: { count: bad, lines: this.#badLines },
      leftOut: this.#leftOut,
      changes: mostFirst(this.#changes),
      // If the gateway enforces everywhere, its log has such refusals too.
      inSpite: this.#span === undefined ? [] : mostFirst(this.#inSpite),
      span: this.#span,
    };
  }
}

function mostFirst<Row extends { readonly count: number }>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...rows.values()].sort((left, right) => right.count - left.count);
}

function widened(span: Span | undefined, time: number): Span {
  return { first: Math.min(span?.first ?? time, time), last: Math.max(span?.last ?? time, time) };
}

/** False: there are too many. */
function addGroup(groups: Map<string, Group>, line: ShadowLine, code: string): boolean {
  const { client, route, operation, missing, needed, reason, dependency, found, seen } = line;
  // For other codes a key is no remedy, and would split groups that belong together.
  const sent = code === 'credential_missing' && route !== undefined ? line.key : undefined;
  const place = route ?? area(line.path);
  const key = JSON.stringify([
    client,
    route,
    operation,
    place,
    code,
    reason,
    missing,
    needed,
    found,
    seen,
    sent?.in,
    sent?.name,
  ]);
  const group = groups.get(key);
  if (group !== undefined) extend(group, line);
  else if (groups.size < MOST_GROUPS - (client === undefined ? KEPT_FOR_CLIENTS : 0)) {
    const about = { client, route, operation, code, missing, needed, found, seen };
    groups.set(key, { ...about, reason: reason ?? dependency, ...firstOf(line), keys: sent && keysOf(sent) });
  } else return false;
  return true;
}

/** Requests without a route are grouped by their first segment. */
export function area(path: string): string {
  return /^\/[^/]*/.exec(path)?.[0] ?? path;
}

function firstOf(line: ShadowLine) {
  return {
    count: 1,
    first: line.time,
    last: line.time,
    held: line.held,
    examples: new Set([example(line)]),
    methods: new Set([line.method]),
    subjects: new Set(line.subject === undefined ? [] : [line.subject]),
    callers: callersOf(line),
  };
}

function extend(group: Group, line: ShadowLine): void {
  group.count++;
  group.first = Math.min(group.first, line.time);
  group.last = Math.max(group.last, line.time);
  group.held = group.held.filter((scope) => line.held.includes(scope));
  if (group.examples.size < EXAMPLES) group.examples.add(example(line));
  group.methods.add(line.method);
  if (group.keys !== undefined && line.key !== undefined) addPrint(group.keys, line.key.print);
  if (line.client === undefined) addCaller(group.callers, line);
  if (line.subject !== undefined && group.subjects.size < SUBJECTS) group.subjects.add(line.subject);
}

function example({ method, host, path }: ShadowLine): string {
  return `${method} ${host}${path}`;
}

/** Converts sets and times to JSON forms. */
export function shadowReportAsJson({
  groups,
  refused,
  passed,
  other,
  bad,
  leftOut,
  changes,
  inSpite,
  span,
}: ShadowReport): object {
  return {
    would_refuse: refused,
    passed,
    other_lines: other,
    bad_lines: bad,
    left_out: leftOut,
    ...(span && { first_seen: iso(span.first), last_seen: iso(span.last) }),
    groups: groups.map(
      ({ needed, held, missing, examples, methods, subjects, first, last, callers, seen, keys, ...group }) => ({
        ...group,
        callers: callers.first.map(({ agent, ...caller }) => ({ ...caller, user_agent: agent })),
        other_callers: callers.others,
        credentials_seen: seen,
        ...(keys && { keys_seen: { in: keys.in, name: keys.name, different: differentKeys(keys) } }),
        scope_needed: needed,
        scope_held: held,
        scope_missing: missing,
        first_seen: iso(first),
        last_seen: iso(last),
        methods: [...methods],
        examples: [...examples],
        subjects: [...subjects],
      }),
    ),
    changes: changes.map(({ callers, ...change }) => ({ ...change, callers: [...callers] })),
    refused_in_spite: inSpite,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
