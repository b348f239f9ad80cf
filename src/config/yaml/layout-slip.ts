import type { Document, LineCounter } from 'yaml';
import { indentations } from './indentation-repairs.ts';
import { isContent, type Repair } from './layout-rows.ts';
import { signRepairs } from './sign-repairs.ts';
import type { Slip } from './unquoted-braces.ts';

interface Read {
  readonly document: Document;
  readonly lines: LineCounter;
}

interface Tried extends Repair {
  /** The line at which the parser stops after the repair. */
  readonly reach: number;
}

/** Characters that may be parsed to find the repair. */
const MOST_PARSED = 512 * 1024;

/**
 * The parser stops at the first line that it cannot read, and its error does not name the cause. So this function repairs
 * one line near that place: its indentation, or a missing space or colon. The cause is the repair with which the parser reads
 * farthest. Undefined: no such repair helps, so the cause is another one.
 */
export function findLayoutSlip(text: string, read: Read, parse: (text: string) => Read): Slip | undefined {
  const stop = stopOf(read);
  if (stop === undefined || read.document.errors[0]?.code === 'TAB_AS_INDENT') return undefined;
  const all = text.split('\n');
  const reachOf = ({ line, repaired }: Repair) => stopOf(parse(all.with(line, repaired).join('\n'))) ?? Infinity;
  const helpful = repairsAt(all, stop)
    .slice(0, Math.floor(MOST_PARSED / text.length))
    .map((repair) => ({ ...repair, reach: reachOf(repair) }))
    .filter(({ line, reach }) => reach > Math.max(stop, line));
  const [best] = helpful.toSorted(byChance);
  if (best === undefined) return undefined;
  const equal = helpful.filter((each) => SAME.every((key) => each[key] === best[key]));
  const columns = [...new Set(equal.map(({ to }) => to))];
  return { offset: (read.lines.lineStarts[best.line] ?? 0) + best.column, ...best.inWords(columns) };
}

const SAME = ['line', 'reach', 'move', 'followsAbove'] as const;

/** The line of the first error, counted from 0. */
function stopOf({ document, lines }: Read): number | undefined {
  const [error] = document.errors;
  return error && lines.linePos(error.pos[0]).line - 1;
}

/** The most probable repair first. Most files indent by an even number of spaces. */
function byChance(one: Tried, other: Tried): number {
  if (one.reach !== other.reach) return other.reach > one.reach ? 1 : -1;
  return one.move - other.move || (one.to % 2) - (other.to % 2);
}

/** The parser stops at the wrong line, or at the line before it. */
function repairsAt(all: readonly string[], stop: number): readonly Repair[] {
  const after = all.findIndex((line, index) => index > stop && isContent(line));
  const places = after === -1 ? [stop] : [stop, after];
  return [...places.flatMap((at) => signRepairs(all, at)), ...places.flatMap((at) => indentations(all, at))];
}
