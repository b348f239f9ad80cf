import { foldCase } from '../../base/fold-case.ts';
import { matchHost } from '../../config/words/host-pattern.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import { holdsCredential, isSecretName } from '../../config/words/secret-names.ts';
import type { Route } from '../decide/route.ts';
import type { MatchCondition } from '../routing/match-conditions.ts';
import type { RouteLookup } from '../routing/routes.ts';
import { compareRank, compareSpecificity, hostText, pathText } from '../routing/specificity.ts';

/** A route that was considered for a request, and the parts of the request that did not match. */
export interface Candidate {
  readonly route: Route;
  /** Empty: everything matches. */
  readonly misfits: readonly string[];
}

/** The number of routes to list if the path matches none. */
const NEAREST = 3;

/** The routes for this host and path, most specific first. If there is none, the nearest routes. */
export function candidatesFor(routes: readonly Route[], question: RouteLookup): readonly Candidate[] {
  const ordered = routes.toSorted(compareSpecificity);
  const placed = ordered.filter((route) => hostFits(route, question) && pathFits(route, question.key));
  return placed.length > 0 ? inTurn(placed, question) : nearest(ordered, question);
}

function inTurn(placed: readonly Route[], question: RouteLookup): readonly Candidate[] {
  const turn: Turn = { chosen: undefined, methodRefused: [] };
  return placed.map((route) => {
    const misfits = misfitsInTurn(route, question, turn);
    if (misfits.length === 0) turn.chosen = route;
    return { route, misfits };
  });
}

interface Turn {
  chosen: Route | undefined;
  /** Routes that match except for the method. */
  readonly methodRefused: Route[];
}

function misfitsInTurn(route: Route, question: RouteLookup, turn: Turn): readonly string[] {
  const unmet = conditionMisfits(route, question);
  const misfits = [...unmet, ...methodMisfits(route, question)];
  if (unmet.length === 0 && misfits.length > 0) turn.methodRefused.push(route);
  if (misfits.length > 0) return misfits;
  return turn.chosen === undefined ? barred(route, question, turn) : [behind(route, turn.chosen)];
}

function behind(route: Route, chosen: Route): string {
  return compareRank(chosen, route) < 0
    ? `less specific than ${chosen.id}`
    : `as specific as ${chosen.id}, which is tried first`;
}

/**
 * Once a more specific route matches except for its method, a later route must name the method and must not be public.
 */
function barred(route: Route, { method }: RouteLookup, { methodRefused }: Turn): readonly string[] {
  const { methods, access } = route;
  const stricter = methodRefused.find((earlier) => compareRank(earlier, route) < 0);
  if (stricter === undefined || (methods !== undefined && access !== 'public')) return [];
  const which = access === 'public' ? 'a public route' : 'a route that does not name this method';
  return [`${stricter.id} is more specific but does not accept ${method}, so ${which} does not match`];
}

function nearest(ordered: readonly Route[], question: RouteLookup): readonly Candidate[] {
  return ordered
    .toSorted((one, other) => nearness(other, question) - nearness(one, question))
    .slice(0, NEAREST)
    .map((route) => ({ route, misfits: misfitsOf(route, question) }));
}

function misfitsOf(route: Route, question: RouteLookup): readonly string[] {
  const { host } = route;
  return [
    ...(hostFits(route, question) ? [] : [`host: ${question.host} is not ${host && hostText(host)}`]),
    ...(pathFits(route, question.key) ? [] : [`path: ${question.key} is not ${pathText(route)}`]),
    ...methodMisfits(route, question),
    ...conditionMisfits(route, question),
  ];
}

/** The number of matching leading segments. A matching host breaks ties. */
function nearness(route: Route, question: RouteLookup): number {
  const parts = question.key.slice(1).split('/');
  const first = route.segments.findIndex((segment, index) => !segmentFits(route, segment, parts[index]));
  return (first === -1 ? route.segments.length : first) * 2 + (hostFits(route, question) ? 1 : 0);
}

function hostFits({ host }: Route, question: RouteLookup): boolean {
  return host === undefined || matchHost(host, question.host) !== undefined;
}

export function pathFits(route: Route, key: string): boolean {
  const { segments } = route;
  const parts = key.slice(1).split('/');
  const open = segments.at(-1)?.kind === 'rest';
  if (open ? parts.length < segments.length - 1 : parts.length !== segments.length) return false;
  return segments.every((segment, index) => segmentFits(route, segment, parts[index]));
}

function segmentFits({ caseSensitive }: Route, segment: PathSegment, part: string | undefined): boolean {
  if (segment.kind === 'rest') return true;
  if (part === undefined) return false;
  if (segment.kind === 'one') return part !== '';
  const compared = (text: string) => (caseSensitive ? text : foldCase(text));
  return [segment.decoded, segment.strict].some((text) => compared(text) === compared(part));
}

function conditionMisfits({ conditions }: Route, question: RouteLookup): readonly string[] {
  return conditions.flatMap((condition) =>
    condition.holds(question) === 'yes' ? [] : [`${shownText(condition)}: ${found(condition, question)}`],
  );
}

/** The maximum number of characters shown of a value. */
const LONGEST = 80;

function isHidden({ field }: MatchCondition): boolean {
  const name = field.replace(/^\w+ /, '');
  return field === 'query access_token' || isSecretName(name) || holdsCredential(name);
}

/** A condition on a credential is shown without its value. */
function shownText(condition: MatchCondition): string {
  return isHidden(condition) ? condition.field : condition.text;
}

function found(condition: MatchCondition, question: RouteLookup): string {
  const { values, holds } = condition;
  if (holds(question) === 'repeated') return 'it occurs more than once, or in another spelling';
  const [value] = values(question);
  if (value === undefined) return 'the request has none';
  if (isHidden(condition)) return 'the request has another value';
  return `the request has \`${value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}\``;
}

function methodMisfits({ methods }: Route, { method }: RouteLookup): readonly string[] {
  if (methods === undefined || methods.has(method)) return [];
  return [`method: ${method} is not among ${[...methods].join(', ')}`];
}
