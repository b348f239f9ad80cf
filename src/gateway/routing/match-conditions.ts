import type { RouteConfig } from '../../config/gateway.ts';
import type { RequestHead } from '../request-head.ts';
import { takeParameter } from './form-parameters.ts';

/** What a condition looks at. */
export interface Conditioned {
  readonly head: RequestHead;
  /** With its `?`. */
  readonly query: string;
}

/** `repeated`: the field that decides occurs twice, so what the upstream would go by is unknown. */
export type Holds = 'yes' | 'no' | 'repeated';

export interface MatchCondition {
  /** For equality of routes and for `routes`. */
  readonly text: string;
  /** What it looks at: `header x-beta`, `query v`, `soap action`. */
  readonly field: string;
  /** What the request has there. */
  values(request: Conditioned): readonly string[];
  holds(request: Conditioned): Holds;
}

/** The header, query and SOAP conditions of a route, beyond host, path and methods. */
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

/** Of nearly every route, and looked at by each request. */
const NONE: readonly MatchCondition[] = [];

function headerCondition(name: string, value: string): MatchCondition {
  const text = `header ${name}: ${value}`;
  return condition(text, `header ${name}`, value, ({ head }) => valuesOf(head, name));
}

function queryCondition(name: string, value: string): MatchCondition {
  const text = `query ${name}=${value}`;
  return condition(text, `query ${name}`, value, ({ query }) => takeParameter(query.slice(1), name).values);
}

/**
 * SOAP 1.1 names the action in a header of its own, SOAP 1.2 in a parameter of the media type (RFC 3902). Where both
 * are given they count as a repetition.
 */
function soapCondition(action: string): MatchCondition {
  return condition(`soap action ${action}`, 'soap action', action, ({ head }) => [
    ...valuesOf(head, 'soapaction').map(unquote),
    ...actionParameter(head),
  ]);
}

function condition(text: string, field: string, wanted: string, values: MatchCondition['values']): MatchCondition {
  return { text, field, values, holds: (request) => decide(values(request), wanted) };
}

function actionParameter(head: RequestHead): string[] {
  return valuesOf(head, 'content-type').flatMap((type) => {
    const [, quoted, token] = /^application\/soap\+xml\b.*;\s*action\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? [];
    const action = quoted ?? token;
    return action === undefined ? [] : [action];
  });
}

function unquote(text: string): string {
  return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
}

function decide(values: readonly string[], wanted: string): Holds {
  if (values.length > 1) return 'repeated';
  return values[0] === wanted ? 'yes' : 'no';
}

export function valuesOf({ fields }: RequestHead, name: string): string[] {
  return fields.filter((_, index) => index % 2 === 1 && fields[index - 1] === name);
}
