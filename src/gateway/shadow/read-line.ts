import type { KeySeen } from '../telemetry/key-seen.ts';

/** A line of the decision log, with the members that the report needs. */
export interface ShadowLine {
  /** The result of enforcing: a code, or `pass`. Undefined: the request was refused before its route was known. */
  readonly shadow: string | undefined;
  /** The actual result. */
  readonly code: string;
  /** Time of day, milliseconds. */
  readonly time: number;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly route: string | undefined;
  /** For an `mcp` route: `tools/call delete_user`, as a key in `mcp.scope` is written. */
  readonly operation: string | undefined;
  readonly client: string | undefined;
  readonly subject: string | undefined;
  readonly address: string | undefined;
  readonly agent: string | undefined;
  readonly reason: string | undefined;
  readonly dependency: string | undefined;
  readonly needed: readonly string[];
  readonly held: readonly string[];
  readonly missing: string | undefined;
  /** For a rejected token: the mismatch. */
  readonly found: string | undefined;
  /** Names of header fields that are dropped, and those that enforcement will drop. */
  readonly drops: readonly string[];
  readonly dropsLater: readonly string[];
  readonly timesOut: boolean;
  /** Kinds of credentials in the request: schemes in lower case, `query`. */
  readonly seen: readonly string[];
  /**
   * A value that looks like an API key, as a fingerprint. Within one run of the gateway, equal keys have equal fingerprints.
   */
  readonly key: KeySeen | undefined;
}

/** `other`: a valid line of the log about something else. */
export function readShadowLine(text: string): ShadowLine | 'other' | 'bad' {
  const line = parse(text);
  if (line === undefined) return 'bad';
  if (line.shadow === undefined && typeof line.code !== 'string') return 'other';
  const { shadow = '-', time } = line;
  const isSound = line.shadow === undefined || [shadow, line.method, line.path].every(isText);
  const at = typeof time === 'number' ? time : Date.parse(String(time));
  return isSound && Number.isFinite(at) && Math.abs(at) < 8.64e15 ? shadowLine(line, at) : 'bad';
}

function shadowLine(line: Readonly<Record<string, unknown>>, time: number): ShadowLine {
  return {
    shadow: text(line.shadow),
    code: text(line.code) ?? 'forwarded',
    time,
    method: text(line.method) ?? '',
    path: text(line.path) ?? '',
    host: text(line.host) ?? '',
    route: text(line.route),
    operation: operationOf(line),
    client: text(line.client),
    subject: text(line.subject),
    address: text(line.address),
    agent: text(line.user_agent),
    reason: text(line.reason) ?? mismatchOf(line),
    dependency: text(line.dependency),
    needed: texts(line.scope_needed),
    held: texts(line.scope_held),
    missing: text(line.scope_missing),
    found: SHARED.has(line.claim) ? text(line.found) : undefined,
    drops: texts(line.shadow_drops),
    dropsLater: texts(line.enforce_drops),
    timesOut: line.enforce_times_out === true,
    seen: texts(line.credentials_seen),
    key: keyOf(line.key_seen),
  };
}

function operationOf(line: Readonly<Record<string, unknown>>): string | undefined {
  const [method, name] = [text(line.mcp_method), text(line.mcp_name)];
  return method === undefined || name === undefined ? method : `${method} ${name}`;
}

/** Names that are safe in YAML, because operators paste the lines into a file. */
const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;

function keyOf(value: unknown): ShadowLine['key'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const { in: place, name, print } = value as Readonly<Record<string, unknown>>;
  const isSound = (place === 'header' || place === 'query') && PLAIN.test(String(name)) && PLAIN.test(String(print));
  return isSound ? { in: place, name: String(name), print: String(print) } : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Claims with the same value in many tokens of one client. Other claims, such as `exp`, would make a group of each token. */
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
