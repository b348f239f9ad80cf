import { readLine, type ShadowLine } from './read-line.ts';

/** Requests of one client to one route that would be refused for one reason. */
export interface Group {
  /** Undefined: nobody was verified. */
  readonly client: string | undefined;
  /** Undefined: no route. */
  readonly route: string | undefined;
  readonly code: string;
  readonly reason: string | undefined;
  readonly missing: string | undefined;
  /** What the route takes: one of these. */
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

export interface Report {
  /** Most frequent first. */
  readonly groups: readonly Group[];
  readonly refused: number;
  /** Only where the log has level debug, at which passing requests are told. */
  readonly passed: number;
  readonly other: number;
  readonly bad: BadLines;
}

export interface BadLines {
  readonly count: number;
  /** Numbers of the first of them. */
  readonly lines: readonly number[];
}

const EXAMPLES = 3;
const SUBJECTS = 3;
const BAD_NAMED = 10;
/** A log in which a stranger makes up paths for ever must not fill memory. */
const MOST_GROUPS = 10_000;

export async function report(lines: AsyncIterable<string>): Promise<Report> {
  const groups = new Map<string, Group>();
  const counts = { refused: 0, passed: 0, other: 0, bad: 0 };
  const badLines: number[] = [];
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() === '') continue;
    const line = readLine(text);
    if (typeof line === 'string') {
      counts[line]++;
      if (line === 'bad' && badLines.length < BAD_NAMED) badLines.push(number);
    } else if (line.shadow === 'pass') counts.passed++;
    else {
      counts.refused++;
      add(groups, line);
    }
  }
  const { bad, ...rest } = counts;
  const sorted = [...groups.values()].sort((left, right) => right.count - left.count);
  return { ...rest, groups: sorted, bad: { count: bad, lines: badLines } };
}

function add(groups: Map<string, Group>, line: ShadowLine): void {
  const { client, route, shadow, missing, needed, reason, dependency } = line;
  const place = route ?? area(line.path);
  const key = JSON.stringify([client, route, place, shadow, reason, missing, needed]);
  const group = groups.get(key);
  if (group !== undefined) extend(group, line);
  else if (groups.size < MOST_GROUPS) {
    const about = { client, route, code: shadow, reason: reason ?? dependency, missing, needed };
    groups.set(key, { ...about, ...firstOf(line) });
  }
}

/** Requests without a route are one area when they share their first segment. */
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
  };
}

function extend(group: Group, line: ShadowLine): void {
  group.count++;
  group.first = Math.min(group.first, line.time);
  group.last = Math.max(group.last, line.time);
  group.held = group.held.filter((scope) => line.held.includes(scope));
  if (group.examples.size < EXAMPLES) group.examples.add(example(line));
  group.methods.add(line.method);
  if (line.subject !== undefined && group.subjects.size < SUBJECTS) group.subjects.add(line.subject);
}

function example({ method, host, path }: ShadowLine): string {
  return `${method} ${host}${path}`;
}

/** Sets and times in the forms that JSON has. */
export function asJson({ groups, refused, passed, other, bad }: Report): object {
  return {
    would_refuse: refused,
    passed,
    other_lines: other,
    bad_lines: bad,
    groups: groups.map(({ needed, held, missing, examples, methods, subjects, first, last, ...group }) => ({
      ...group,
      scope_needed: needed,
      scope_held: held,
      scope_missing: missing,
      first_seen: new Date(first).toISOString(),
      last_seen: new Date(last).toISOString(),
      methods: [...methods],
      examples: [...examples],
      subjects: [...subjects],
    })),
  };
}
