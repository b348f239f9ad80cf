import type { MatchCondition } from '../routing/match-conditions.ts';
import type { RouteLookup } from '../routing/routes.ts';
import type { Route } from './route.ts';

/** A detail names at most this many routes, because thousands of SOAP actions may share a path. */
const NAMED = 3;

/**
 * Why no route was found although some match the host and path. It names the failed conditions, for logs and tickets.
 * It leaves out expected and received values, since both may be secret. Undefined: no route matches the host and path.
 */
export function unmetDetail(placed: Iterable<Route>, question: RouteLookup): string | undefined {
  const told: string[] = [];
  for (const route of placed) {
    if (told.length === NAMED) {
      told.push('and more');
      break;
    }
    told.push(`${route.id} (${unmetOf(route, question)})`);
  }
  return told.length === 0 ? undefined : `host and path match, but not the conditions: ${told.join(', ')}`;
}

function unmetOf({ conditions }: Route, question: RouteLookup): string {
  const unmet = conditions.filter((condition) => condition.holds(question) !== 'yes');
  return unmet.map((condition) => inWords(condition, question)).join(', ');
}

function inWords({ field, values }: MatchCondition, question: RouteLookup): string {
  return `${values(question).length === 0 ? 'no' : 'another'} ${field}`;
}
