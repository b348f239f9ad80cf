import type { OpenApi } from './document.ts';
import { type Operation, operationsOf } from './operations.ts';
import { Overlaps } from './overlaps.ts';
import type { Requirement } from './requirement.ts';
import { isSame, isUnprotected, stricter } from './stricter.ts';
import { isExact, isWider, mayMeet, type Template } from './template.ts';

/** One route of gateway.yaml: methods of one path that have equal requirements. */
export interface ImportedRoute {
  readonly id: string | undefined;
  readonly path: string;
  readonly methods: readonly string[];
  readonly requirement: Requirement;
  readonly notes: readonly string[];
}

export type ImportedRoutes =
  | {
      readonly kind: 'routes';
      readonly routes: readonly ImportedRoute[];
      /** Parts that became no route. */
      readonly left: readonly string[];
    }
  | { readonly kind: 'fault'; readonly message: string };

/**
 * Limit for steps in the tree of templates. A real document needs a few for each path; a document whose paths all overlap needs
 * many more.
 */
const MOST_STEPS = 4_000_000;

const TANGLED = 'too many paths of the document match the same requests: leave out the paths that need no route';
const NOTHING = 'the document has no operation that could become a route';

/**
 * A route may match requests of several operations. It requires everything that these operations require. So no route
 * is more open than the document. Of two templates, the narrower one applies, like a path without parameters (OpenAPI
 * 3.1 §4.8.8.2).
 */
export function routesOf(document: OpenApi, prefix: string): ImportedRoutes {
  const { operations, left } = operationsOf(document, prefix);
  if (!operations.some(becomesRoute)) return { kind: 'fault', message: NOTHING };
  const overlaps = new Overlaps<Operation>();
  for (const operation of operations) overlaps.add(operation);
  const routes: ImportedRoute[] = [];
  const ids = new Set<string>();
  for (const group of byShape(operations)) {
    const caught = overlaps.caughtBy(shapeOf(group));
    if (overlaps.steps > MOST_STEPS) return { kind: 'fault', message: TANGLED };
    routes.push(...routesFor(group, caught, ids));
  }
  return { kind: 'routes', routes, left };
}

function becomesRoute({ isRoute, requirement }: Operation): boolean {
  return isRoute && requirement.access !== 'closed';
}

/** The first path of each shape gives the names. */
interface Group {
  readonly path: string;
  readonly operations: readonly Operation[];
}

function byShape(operations: readonly Operation[]): readonly Group[] {
  const placed = operations.flatMap((operation) =>
    operation.place.kind === 'path' ? [{ ...operation.place, operation }] : [],
  );
  return [...Map.groupBy(placed, ({ shape }) => shape).values()].map((group) => ({
    path: group[0]?.path ?? '',
    operations: group.map(({ operation }) => operation),
  }));
}

/** The path of the route: a segment with text around a parameter becomes a parameter. */
function shapeOf({ operations: [first] }: Group): Template {
  return (first?.template ?? []).map((segment) => (segment.kind === 'part' ? { kind: 'whole' } : segment));
}

function routesFor(group: Group, caught: readonly Operation[], ids: Set<string>): readonly ImportedRoute[] {
  const shape = shapeOf(group);
  const others = Map.groupBy(
    caught.filter(({ template }) => mayMeet(template, shape)),
    ({ method }) => method,
  );
  const methods = [...Map.groupBy(group.operations, ({ method }) => method)].map(([method, own]) =>
    settled(method, own, { shape, others: others.get(method) ?? [] }),
  );
  const alike = Map.groupBy(methods, ({ requirement, notes }) => JSON.stringify([requirement, notes]));
  return [...alike.values()].map((same) => ({
    id: idOf(same, ids),
    path: group.path,
    methods: same.map(({ method }) => method),
    requirement: (same[0] as Settled).requirement,
    notes: (same[0] as Settled).notes,
  }));
}

interface Around {
  readonly shape: Template;
  readonly others: readonly Operation[];
}

interface Settled {
  readonly method: string;
  readonly id: string | undefined;
  readonly requirement: Requirement;
  readonly notes: readonly string[];
}

const WIDENED =
  'the route matches more paths than the document makes public, so the route requires a valid token until you change it';

/** The final requirements of one method of a path. */
function settled(method: string, own: readonly Operation[], { shape, others }: Around): Settled {
  const [first] = own as [Operation, ...Operation[]];
  const exact = own.some(({ template }) => isExact(template));
  const left = exact ? others.filter(({ template }) => !isWider(template, shape)) : others;
  const notes = new Set(own.flatMap((each) => each.notes));
  let requirement = first.requirement;
  for (const operation of [...own.slice(1), ...left]) {
    const both = stricter(requirement, operation.requirement);
    if (isSame(both, requirement)) continue;
    notes.add(
      `the route also requires what ${method} ${operation.written} requires, because some requests match both paths`,
    );
    requirement = { ...both, notes: [...new Set([...requirement.notes, ...operation.requirement.notes])] };
  }
  if (!exact && isUnprotected(requirement)) {
    notes.add(WIDENED);
    requirement = { access: 'authenticated', scope: [], notes: requirement.notes };
  }
  return { method, id: own.length === 1 ? first.id : undefined, requirement, notes: [...notes] };
}

/** The operation's own id, if the route is one operation and no other route has this id. */
function idOf(same: readonly Settled[], ids: Set<string>): string | undefined {
  const id = same.length === 1 ? same[0]?.id : undefined;
  if (id === undefined || ids.has(id)) return undefined;
  ids.add(id);
  return id;
}
