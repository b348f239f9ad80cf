import type { Placed, Question } from './placed.ts';

/** What a walk has come upon so far. */
export interface Search {
  readonly question: Question;
  /** Methods of routes that fit in all else; undefined until there is one. */
  allow: Set<string> | undefined;
  /** The route at which a deciding field was found twice. */
  repeated: unknown;
}

/**
 * Of routes for one host and path, those with more conditions first. Once a more specific route fitted in all but its
 * method, a later one must name the method and must not be public: forbidding a method on one path never opens it through
 * a wider rule.
 */
export function choose<Route extends Placed>(routes: readonly Route[], search: Search): Route | undefined {
  if (routes.length === 0 || search.repeated !== undefined) return undefined;
  let passedOver = search.allow !== undefined;
  let conditions = routes[0]?.conditions.length;
  for (const route of routes) {
    if (route.conditions.length !== conditions) {
      conditions = route.conditions.length;
      passedOver = search.allow !== undefined;
    }
    const chosen = consider(route, passedOver, search);
    if (chosen !== undefined || search.repeated !== undefined) return chosen;
  }
  return undefined;
}

/** The same where there is only one. */
export function chooseOnly<Route extends Placed>(route: Route, search: Search): Route | undefined {
  return search.repeated === undefined ? consider(route, search.allow !== undefined, search) : undefined;
}

function consider<Route extends Placed>(route: Route, passedOver: boolean, search: Search): Route | undefined {
  if (route.conditions.length > 0 && !conditionsHold(route, search)) return undefined;
  const takes = route.methods === undefined || route.methods.has(search.question.method);
  if (takes && (!passedOver || (route.methods !== undefined && route.access !== 'public'))) return route;
  search.allow ??= new Set();
  for (const allowed of route.methods ?? []) search.allow.add(allowed);
  return undefined;
}

function conditionsHold<Route extends Placed>(route: Route, search: Search): boolean {
  for (const condition of route.conditions) {
    const holds = condition.holds(search.question);
    if (holds === 'repeated') search.repeated = route;
    if (holds !== 'yes') return false;
  }
  return true;
}
