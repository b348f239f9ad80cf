import { compileExpression } from '../../config/words/expression.ts';
import type { Identity } from '../message/identity.ts';
import type { RequestHead } from '../message/request-head.ts';
import type { Captures } from '../routing/captures.ts';
import { type Unseen, unseenIn } from './unseen.ts';

/** The parts of a request that a `when` rule may read. */
export interface RuleContext {
  readonly head: RequestHead;
  /** Normalized for comparison. */
  readonly host: string;
  readonly path: string;
  /** With its `?`. */
  readonly query: string;
  readonly captured: Captures;
}

export type When = (identity: Identity, context: RuleContext) => boolean;

/** A `when` of the file. The configuration check has already compiled it once. */
export function compileWhen(text: string, unseen: Unseen = unseenIn({})): When {
  const expression = compileExpression(text);
  if (typeof expression !== 'function') throw new Error(expression.message);
  return (identity, context) => expression({ request: requestOf(context, unseen), identity: identityOf(identity) });
}

function requestOf({ head, host, path, query, captured }: RuleContext, unseen: Unseen): object {
  const params = { ...captured.host, ...captured.path };
  return { method: head.method, host, path, params, query: queryOf(query, unseen), headers: headersOf(head, unseen) };
}

/** All lines of a field as one list value (RFC 9110 §5.3), so a rule sees every value or none. */
function headersOf({ fields }: RequestHead, unseen: Unseen): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    const value = fields[i + 1] as string;
    if (unseen.header(name)) continue;
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { ...headers };
}

/** A parameter that occurs twice becomes a list, which equals no text, because the upstream's choice is unknown. */
function queryOf(query: string, { parameters }: Unseen): Record<string, string | string[]> {
  const found = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (parameters.has(name)) continue;
    const before = found.get(name);
    if (before === undefined) found.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else found.set(name, [before, value]);
  }
  return Object.fromEntries(found);
}

function identityOf({ scheme, subject, clientId, scopes, claims, issuer }: Identity): object {
  return { scheme, subject: subject ?? '', client_id: clientId ?? '', scopes: [...scopes], claims, issuer };
}
