/** A line of the decision log, as far as the report reads it. */
export interface ShadowLine {
  /** A code, or `pass`. */
  readonly shadow: string;
  /** Wall clock, milliseconds. */
  readonly time: number;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly client: string | undefined;
  readonly subject: string | undefined;
  readonly reason: string | undefined;
  readonly dependency: string | undefined;
  readonly needed: readonly string[];
  readonly held: readonly string[];
  readonly missing: string | undefined;
}

/** `other`: a sound line of the log that is about something else. */
export function readLine(text: string): ShadowLine | 'other' | 'bad' {
  const line = parse(text);
  if (line === undefined) return 'bad';
  if (line.shadow === undefined) return 'other';
  const { shadow, time, method, path } = line;
  const sound = [shadow, method, path].every((value) => typeof value === 'string' && value !== '');
  const at = typeof time === 'number' ? time : Date.parse(String(time));
  return sound && Number.isFinite(at) && Math.abs(at) < 8.64e15 ? shadowLine(line, at) : 'bad';
}

function shadowLine(line: Readonly<Record<string, unknown>>, time: number): ShadowLine {
  return {
    shadow: String(line.shadow),
    time,
    method: String(line.method),
    path: String(line.path),
    host: text(line.host) ?? '',
    route: text(line.route),
    client: text(line.client),
    subject: text(line.subject),
    reason: text(line.reason) ?? mismatchOf(line),
    dependency: text(line.dependency),
    needed: texts(line.scope_needed),
    held: texts(line.scope_held),
    missing: text(line.scope_missing),
  };
}

/** Claims of which many tokens of one client hold the same value; by `exp` each token would be a group of its own. */
const SHARED: ReadonlySet<unknown> = new Set(['iss', 'aud', 'alg', 'typ']);

function mismatchOf({ claim, found }: Readonly<Record<string, unknown>>): string | undefined {
  return SHARED.has(claim) && typeof found === 'string' ? `${claim} is ${found}` : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
