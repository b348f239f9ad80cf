import type { MatchCondition } from '../routing/match-conditions.ts';
import type { RouteLookup } from '../routing/routes.ts';
import type { Route } from './route.ts';

/** So many routes are named: thousands of SOAP actions may share a path. */
const NAMED = 3;

/**
 * Why no route was found although host and path match some: the names of the failed conditions, for logs and tickets.
 * Expected and received values are left out, since both may be secret. Undefined if host and path match none.
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
  return told.length === 0 ? undefined : `host and path fit ${told.join(', ')}`;
}

function unmetOf({ conditions }: Route, question: RouteLookup): string {
  const unmet = conditions.filter((condition) => condition.holds(question) !== 'yes');
  return unmet.map((condition) => inWords(condition, question)).join(', ');
}

function inWords({ field, values }: MatchCondition, question: RouteLookup): string {
  return `${values(question).length === 0 ? 'no' : 'another'} ${field}`;
}
