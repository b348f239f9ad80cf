import { matchHost } from '../../config/host-pattern.ts';
import type { PathSegment } from '../../config/path-pattern.ts';
import type { Route } from '../route.ts';
import type { Question } from '../routes.ts';
import { compareSpecificity, hostText, pathText } from '../specificity.ts';

/** A route that was considered for a request, and what of it did not fit. */
export interface Candidate {
  readonly route: Route;
  /** Empty: everything fits. */
  readonly misfits: readonly string[];
}

/** Of routes that no request of this path could get, so many are told. */
const NEAREST = 3;

/** Most specific first: the routes for this host and path; where there is none, those that are nearest. */
export function candidatesFor(routes: readonly Route[], question: Question): readonly Candidate[] {
  const ordered = routes.toSorted(compareSpecificity);
  const placed = ordered.filter((route) => hostFits(route, question) && pathFits(route, question.key));
  return placed.length > 0 ? inTurn(placed, question) : nearest(ordered, question);
}

/** Once a more specific route fits in all but its method, a later one must name the method and must not be public. */
function inTurn(placed: readonly Route[], question: Question): readonly Candidate[] {
  const turn: Turn = { chosen: undefined, passedOver: undefined };
  return placed.map((route) => {
    const misfits = misfitsInTurn(route, question, turn);
    if (misfits.length === 0) turn.chosen = route;
    return { route, misfits };
  });
}

interface Turn {
  chosen: Route | undefined;
  passedOver: Route | undefined;
}

function misfitsInTurn(route: Route, question: Question, turn: Turn): readonly string[] {
  const { methods, access } = route;
  if (turn.chosen !== undefined) return [`less specific than ${turn.chosen.id}`];
  const unmet = conditionMisfits(route, question);
  if (unmet.length > 0) return unmet;
  if (methods !== undefined && !methods.has(question.method)) {
    turn.passedOver ??= route;
    return [methodMisfit(methods, question.method)];
  }
  if (turn.passedOver === undefined || (methods !== undefined && access !== 'public')) return [];
  const why = access === 'public' ? 'it is public' : 'it does not name the method';
  return [`${why}, and the more specific ${turn.passedOver.id} does not take ${question.method}`];
}

function nearest(ordered: readonly Route[], question: Question): readonly Candidate[] {
  return ordered
    .toSorted((one, other) => alike(other, question) - alike(one, question))
    .slice(0, NEAREST)
    .map((route) => ({ route, misfits: misfitsOf(route, question) }));
}

function misfitsOf(route: Route, question: Question): readonly string[] {
  const { host, methods } = route;
  return [
    ...(hostFits(route, question) ? [] : [`host: ${question.host} is not ${host && hostText(host)}`]),
    ...(pathFits(route, question.key) ? [] : [`path: ${question.key} is not ${pathText(route)}`]),
    ...(methods === undefined || methods.has(question.method) ? [] : [methodMisfit(methods, question.method)]),
    ...conditionMisfits(route, question),
  ];
}

/** How many leading segments fit; a host that fits breaks ties. */
function alike(route: Route, question: Question): number {
  const parts = question.key.slice(1).split('/');
  const first = route.segments.findIndex((segment, index) => !segmentFits(route, segment, parts[index]));
  return (first === -1 ? route.segments.length : first) * 2 + (hostFits(route, question) ? 1 : 0);
}

function hostFits({ host }: Route, question: Question): boolean {
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
  return caseSensitive ? segment.text === part : segment.text.toLowerCase() === part.toLowerCase();
}

function conditionMisfits({ conditions }: Route, question: Question): readonly string[] {
  return conditions.flatMap((condition) => {
    const holds = condition.holds(question);
    return holds === 'yes' ? [] : [`${condition.text}: ${holds === 'no' ? 'it is not so' : 'it occurs twice'}`];
  });
}

function methodMisfit(methods: ReadonlySet<string>, method: string): string {
  return `method: ${method} is not among ${[...methods].join(', ')}`;
}
