import type { RouteConfig } from '../config/gateway.ts';
import { takeParameter } from './form-parameters.ts';
import type { RequestHead } from './request-head.ts';

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
  holds(request: Conditioned): Holds;
}

/** The header, query and SOAP conditions of a route, beyond host, path and methods. */
export function matchConditions({ headers = {}, query = {}, soap_action }: RouteConfig['match']): MatchCondition[] {
  return [
    ...Object.entries(headers).map(([name, value]) => headerCondition(name.toLowerCase(), value)),
    ...Object.entries(query).map(([name, value]) => queryCondition(name, value)),
    ...(soap_action === undefined ? [] : [soapCondition(soap_action)]),
  ];
}

function headerCondition(name: string, value: string): MatchCondition {
  return {
    text: `header ${name}: ${value}`,
    holds: ({ head }) => decide(valuesOf(head, name), value),
  };
}

function queryCondition(name: string, value: string): MatchCondition {
  return {
    text: `query ${name}=${value}`,
    holds: ({ query }) => decide(takeParameter(query.slice(1), name).values, value),
  };
}

/**
 * SOAP 1.1 names the action in a header of its own, SOAP 1.2 in a parameter of the media type (RFC 3902). Where both
 * are given they count as a repetition.
 */
function soapCondition(action: string): MatchCondition {
  return {
    text: `soap action ${action}`,
    holds: ({ head }) => decide([...valuesOf(head, 'soapaction').map(unquote), ...actionParameter(head)], action),
  };
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
