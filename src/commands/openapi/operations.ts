import { entriesOf, type Loose, type OpenApi, objectOr } from './document.ts';
import type { Templated } from './overlaps.ts';
import { type Requirement, requirementOf } from './requirement.ts';
import { type RoutePath, routePath } from './route-path.ts';

/** One operation of a document, or a method of a path that the document does not describe. */
export interface Operation extends Templated {
  readonly method: string;
  readonly id: string | undefined;
  /** As in the document. */
  readonly written: string;
  readonly place: RoutePath;
  readonly requirement: Requirement;
  /** Notes about its path. */
  readonly notes: readonly string[];
}

export interface Operations {
  readonly operations: readonly Operation[];
  /** Parts that become no route. */
  readonly left: readonly string[];
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const;

const ELSEWHERE: Requirement = {
  access: 'closed',
  scope: [],
  notes: [
    'the reference is broken or points outside this document: the route rejects every caller until you change it',
  ],
};

export function operationsOf(document: OpenApi, prefix: string): Operations {
  const operations: Operation[] = [];
  const left: string[] = [];
  for (const [written, value] of entriesOf(document.root.paths)) {
    if (written.startsWith('x-')) continue;
    const item = document.follow(value);
    const place = routePath(prefix, written);
    if (place.kind === 'fault') left.push(`${written}: ${place.message}`);
    const notes = [...(place.kind === 'path' ? place.notes : []), ...itemNotes(item ?? {})];
    const common = { written, place, notes, template: place.template, isRoute: place.kind === 'path' };
    const found = item === undefined ? elsewhere(value) : ofItem(document, item);
    for (const each of found) operations.push({ ...each, ...common });
  }
  return { operations, left };
}

type Said = Pick<Operation, 'method' | 'id' | 'requirement'>;

function ofItem(document: OpenApi, item: Loose): readonly Said[] {
  return METHODS.flatMap((name) => {
    const operation = objectOr(item[name]);
    if (operation === undefined) return [];
    return [{ method: name.toUpperCase(), id: idOf(operation), requirement: requirementOf(document, operation) }];
  });
}

/** A path item in another place also lists methods. Any other value lists none. */
function elsewhere(value: unknown): readonly Said[] {
  if (objectOr(value) === undefined) return [];
  return METHODS.map((name) => ({ method: name.toUpperCase(), id: undefined, requirement: ELSEWHERE }));
}

function idOf({ operationId }: Loose): string | undefined {
  return typeof operationId === 'string' && operationId !== '' ? operationId : undefined;
}

function itemNotes(item: Loose): readonly string[] {
  const extra = item.additionalOperations === undefined ? [] : ['additionalOperations were not imported'];
  return item.servers === undefined ? extra : [...extra, 'the `servers` of this path were not imported'];
}
