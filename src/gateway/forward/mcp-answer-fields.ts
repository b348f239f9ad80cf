import { nameAt } from '../client/field-lines.ts';
import type { CallPlan } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import { latin1, type RawFields } from '../message/raw-fields.ts';
import { BODY_DIGESTS } from './upstream-fields.ts';

const SESSION = 'mcp-session-id';

/**
 * The header section of an answer, for the client. The id of a session has a form that only this caller can use. The
 * same array, if there is no such id.
 */
export function sealedFields(
  received: readonly string[],
  { owner }: CallPlan,
  { sessions, seal }: McpRoute<Route>,
): readonly string[] {
  const raw: RawFields = received;
  if (indexOf(raw, SESSION) === -1) return received;
  return raw.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const text = latin1(raw[index + 1]);
    if (nameAt(raw, index) !== SESSION) return [latin1(name), text];
    return sessions ? [latin1(name), seal.seal('session', owner, text)] : [];
  });
}

/** Only lines of this length are converted, because every answer is searched. */
function indexOf(raw: RawFields, name: string): number {
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]?.length === name.length && nameAt(raw, index) === name) return index;
  return -1;
}

function lineOf(raw: RawFields, name: string): string | undefined {
  const index = indexOf(raw, name);
  return index === -1
    ? undefined
    : latin1(raw[index + 1])
        .trim()
        .toLowerCase();
}

export function contentTypeOf(raw: readonly string[]): 'json' | 'events' | 'other' {
  const type = lineOf(raw, 'content-type')?.split(';', 1)[0]?.trim();
  return type === 'application/json' ? 'json' : type === 'text/event-stream' ? 'events' : 'other';
}

export function isCoded(raw: readonly string[]): boolean {
  return (lineOf(raw, 'content-encoding') ?? 'identity') !== 'identity';
}

/** As Content-Length says. */
export function lengthOf(raw: readonly string[]): number | undefined {
  const text = lineOf(raw, 'content-length');
  return text === undefined ? undefined : Number(text);
}

/** Fields that are wrong if the client gets a changed body. */
const OF_BODY: ReadonlySet<string> = new Set([...BODY_DIGESTS, 'content-length', 'etag', 'accept-ranges']);

export function forOtherBody(fields: RawFields): readonly string[] {
  return fields.flatMap((text, index) => (OF_BODY.has(nameAt(fields, index - (index % 2))) ? [] : [latin1(text)]));
}
