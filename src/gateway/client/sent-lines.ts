import type { Lines } from '../message/lines.ts';
import { decides, type HeadFields } from '../message/request-head.ts';
import { isTraceBroken, TRACE_FIELDS } from '../telemetry/trace-context.ts';

/** The lines for the upstream. */
export interface SentLines {
  readonly lines: Lines;
  /** Before this position are Host and the client's own fields, and after it only fields of the gateway. */
  readonly received: number;
}

/**
 * The lines for a section that differs only in values. `changed`: where the fields of `head` have their names. Undefined:
 * the lines must be made again.
 */
export function sentWithValues(sent: SentLines, head: HeadFields, changed: readonly number[]): SentLines | undefined {
  let { lines } = sent;
  for (const at of changed) {
    const name = head.fields[at] as string;
    if (name === 'content-length') continue;
    const position = onlyLine(lines.fields, name, sent.received);
    if (position === 'several' || !isOnlyForwarded(name, position, head)) return undefined;
    // The upstream does not get the field, whatever its value.
    if (position !== undefined) lines = lines.with(position, head.fields[at + 1] as string);
  }
  return lines === sent.lines ? sent : { ...sent, lines };
}

/**
 * Whether the value decides only about its own line. The upstream gets a trace only as long as the trace is valid. A
 * credential that it gets must not stay in memory if the next request is refused.
 */
function isOnlyForwarded(name: string, position: number | undefined, head: HeadFields): boolean {
  if (name === 'authorization') return position === undefined;
  if (TRACE_FIELDS.has(name)) return position !== undefined && !isTraceBroken(head);
  return !decides(name);
}

/** Only the client's own fields: a field of the gateway may have the same name. */
function onlyLine(fields: readonly string[], name: string, end: number): number | 'several' | undefined {
  let found: number | undefined;
  for (let at = HOST; at < end; at += 2) {
    if (fields[at] !== name) continue;
    if (found !== undefined) return 'several';
    found = at;
  }
  return found;
}

/** The first field is Host, with its value. */
const HOST = 2;
