import { nameAt } from '../client/field-lines.ts';
import type { CallPlan } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import type { McpRoute } from '../mcp/mcp-route.ts';
import { latin1, type RawFields } from '../message/raw-fields.ts';

/** The header section of an answer to a message. */
export interface AnswerFields {
  /** For the client. The same array, if nothing changes. */
  readonly fields: readonly string[];
  /** Without Content-Length, for a body of another length. */
  readonly unsized: readonly string[];
  readonly type: 'json' | 'events' | 'other';
  readonly isCoded: boolean;
  /** As Content-Length says. */
  readonly isEmpty: boolean;
}

const SESSION = 'mcp-session-id';

/** The client gets the id of a session in a form that only this caller can use. */
export function answerFields(
  received: readonly string[],
  { owner }: CallPlan,
  { sessions, seal }: McpRoute<Route>,
): AnswerFields {
  const raw: RawFields = received;
  const fields = raw.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const text = latin1(raw[index + 1]);
    if (nameAt(raw, index) !== SESSION) return [latin1(name), text];
    return sessions ? [latin1(name), seal.seal('session', owner, text)] : [];
  });
  const type = typeOf(lineOf(raw, 'content-type'));
  const coding = lineOf(raw, 'content-encoding') ?? 'identity';
  const isSame = lineOf(raw, SESSION) === undefined;
  return {
    fields: isSame ? received : fields,
    unsized: unsized(fields),
    type,
    isCoded: coding !== 'identity',
    isEmpty: lineOf(raw, 'content-length') === '0',
  };
}

function lineOf(raw: RawFields, name: string): string | undefined {
  const index = raw.findIndex((_, at) => at % 2 === 0 && nameAt(raw, at) === name);
  return index === -1
    ? undefined
    : String(raw[index + 1])
        .trim()
        .toLowerCase();
}

function typeOf(text = ''): AnswerFields['type'] {
  const type = text.split(';', 1)[0]?.trim();
  return type === 'application/json' ? 'json' : type === 'text/event-stream' ? 'events' : 'other';
}

function unsized(fields: readonly string[]): readonly string[] {
  return fields.filter((_, index) => nameAt(fields, index - (index % 2)) !== 'content-length');
}
