import { codeGroups, entry, isCode } from '../message/codes.ts';

/** A line of the gateway's decision log, as far as the replay needs it. */
export interface Recorded {
  readonly method: string;
  readonly host: string | undefined;
  readonly path: string;
  readonly code: string;
  readonly route: string | undefined;
  readonly subject: string | undefined;
  readonly client: string | undefined;
  readonly cache: string | undefined;
  readonly shadow: string | undefined;
  /** For an `mcp` route: `tools/call delete_user`. */
  readonly operation: string | undefined;
  readonly scope_held: readonly string[] | undefined;
}

/** Undefined: the line is not a decision. */
export function readDecisionLine(line: string): Recorded | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const text = (key: string) => {
    const member = (value as Record<string, unknown>)[key];
    return typeof member === 'string' ? member : undefined;
  };
  const [method, path, code] = [text('method'), text('path'), text('code') ?? text('msg')];
  if (method === undefined || path === undefined || code === undefined) return undefined;
  const held = (value as Record<string, unknown>).scope_held;
  return {
    method,
    path,
    code,
    host: text('host'),
    route: text('route'),
    subject: text('subject'),
    client: text('client'),
    cache: text('cache'),
    shadow: text('shadow'),
    operation: [text('mcp_method') ?? [], text('mcp_name') ?? []].flat().join(' ') || undefined,
    scope_held: Array.isArray(held) ? held.filter((scope) => typeof scope === 'string') : undefined,
  };
}

/** An outage says nothing about the rules, and a log line does not contain the counts of a limit. */
export function isJudged({ code }: Recorded): boolean {
  return code === 'forwarded' || (isCode(code) && !Object.hasOwn(codeGroups.outages, code) && code !== 'rate_limited');
}

/** The client's answer: `forwarded`, or status and code. */
export function answerOf(code: string): string {
  return isCode(code) ? `${entry(code).status} ${code}` : 'forwarded';
}

/** In shadow mode, the code that enforcing would have given. */
export function judgedCode({ code, shadow }: Recorded): string {
  return shadow === undefined || shadow === 'pass' ? code : shadow;
}
