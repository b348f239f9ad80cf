import type { RouteConfig } from '../../config/schema/gateway.ts';
import type { RequestHead } from '../message/request-head.ts';
import { type FieldReading, headerReader, parameterReader } from './lenient-fields.ts';
import { actionsFoundIn, actionsIn } from './soap-actions.ts';
import { unescaped } from './unescaped.ts';

/** The part of a request that a condition reads. */
export interface Conditioned {
  readonly head: RequestHead;
  /** With its `?`. */
  readonly query: string;
}

/** `repeated`: the deciding field occurs twice, or in a spelling that an upstream may treat as the same. */
export type Holds = 'yes' | 'no' | 'repeated';

export interface MatchCondition {
  /** For comparing routes, and for `gatehouse routes`. */
  readonly text: string;
  /** The part of the request: `header x-beta`, `query v`, `soap action`. */
  readonly field: string;
  /** The values in the request. */
  values(request: Conditioned): readonly string[];
  holds(request: Conditioned): Holds;
}

/** The header, query and SOAP conditions of a route. Host, path and methods are not among them. */
export function matchConditions({
  headers = {},
  query = {},
  soap_action,
}: RouteConfig['match']): readonly MatchCondition[] {
  const conditions = [
    ...Object.entries(headers).map(([name, value]) => headerCondition(name.toLowerCase(), value)),
    ...Object.entries(query).map(([name, value]) => queryCondition(name, value)),
    ...(soap_action === undefined ? [] : [soapCondition(soap_action)]),
  ];
  return conditions.length === 0 ? NONE : conditions;
}

/** Nearly every route has no conditions, and each request reads this list. */
const NONE: readonly MatchCondition[] = [];

function headerCondition(name: string, value: string): MatchCondition {
  const read = headerReader(name);
  return condition(`header ${name}: ${value}`, `header ${name}`, value, ({ head }) => read(head));
}

function queryCondition(name: string, value: string): MatchCondition {
  const read = parameterReader(name);
  return condition(`query ${name}=${value}`, `query ${name}`, value, ({ head, query }) =>
    read({ target: head.target, query }),
  );
}

/**
 * SOAP 1.1 has its own header for the action. SOAP 1.2 has a parameter of the media type (RFC 3902). A request with
 * both counts as a repetition.
 */
function soapCondition(action: string): MatchCondition {
  const [named, typed] = [headerReader('soapaction'), headerReader('content-type')];
  return condition(`soap action ${action}`, 'soap action', action, ({ head }) => {
    const [header, type] = [named(head), typed(head)];
    return {
      values: [...header.values.map(unquote), ...type.values.flatMap(actionsIn)],
      lenient: [...header.lenient.map(unquote).map(unescaped), ...type.lenient.flatMap(actionsFoundIn)],
    };
  });
}

type Read = (request: Conditioned) => FieldReading;

function condition(text: string, field: string, wanted: string, read: Read): MatchCondition {
  return { text, field, values: (request) => read(request).values, holds: (request) => decide(read(request), wanted) };
}

function unquote(text: string): string {
  return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
}

function decide({ values, lenient }: FieldReading, wanted: string): Holds {
  if (values.length > 1 || lenient.length !== values.length) return 'repeated';
  const holds = values[0] === wanted;
  return holds === (lenient[0] === wanted) ? (holds ? 'yes' : 'no') : 'repeated';
}
