import { entriesOf, type Loose, type OpenApi, objectOr } from './document.ts';
import { type Requirement, requirementOf } from './requirement.ts';
import { routePath } from './route-path.ts';

/** One route of gateway.yaml: methods of one path that ask for the same. */
export interface ImportedRoute {
  readonly id: string | undefined;
  readonly path: string;
  readonly methods: readonly string[];
  readonly requirement: Requirement;
  readonly notes: readonly string[];
}

export interface ImportedRoutes {
  readonly routes: readonly ImportedRoute[];
  /** What became no route. */
  readonly left: readonly string[];
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const;

export function routesOf(document: OpenApi, prefix: string): ImportedRoutes {
  const routes: ImportedRoute[] = [];
  const left: string[] = [];
  const taken = new Set<string>();
  const ids = new Set<string>();
  for (const [template, value] of entriesOf(document.root.paths)) {
    if (template.startsWith('x-')) continue;
    const item = document.follow(value);
    const place = routePath(prefix, template);
    if (item === undefined) left.push(`${template}: the reference leads out of this document`);
    else if (place.kind === 'fault') left.push(`${template}: ${place.message}`);
    else {
      const { fresh, repeated } = apart(document, item, `${place.shape} `, taken);
      if (repeated.length > 0)
        left.push(`${repeated.join(', ')} ${template}: an earlier path matches the same requests`);
      const notes = [...place.notes, ...itemNotes(item)];
      routes.push(...merge(fresh, ids).map((route) => ({ ...route, path: place.path, notes })));
    }
  }
  return { routes, left };
}

interface Operation {
  readonly method: string;
  readonly id: string | undefined;
  readonly requirement: Requirement;
}

/** Two templates may match the same requests, which no two routes may. */
function apart(document: OpenApi, item: Loose, shape: string, taken: Set<string>) {
  const fresh: Operation[] = [];
  const repeated: string[] = [];
  for (const name of METHODS) {
    const operation = objectOr(item[name]);
    const method = name.toUpperCase();
    if (operation === undefined) continue;
    if (taken.has(shape + method)) repeated.push(method);
    else fresh.push({ method, id: idOf(operation), requirement: requirementOf(document, operation) });
    taken.add(shape + method);
  }
  return { fresh, repeated };
}

function idOf({ operationId }: Loose): string | undefined {
  return typeof operationId === 'string' && operationId !== '' ? operationId : undefined;
}

/** An id is the operation's, where the route is one operation and no other has that id. */
function merge(operations: readonly Operation[], ids: Set<string>): Omit<ImportedRoute, 'path' | 'notes'>[] {
  const groups = Map.groupBy(operations, ({ requirement }) => JSON.stringify(requirement));
  return [...groups.values()].map((group) => {
    const { id, requirement } = group[0] as Operation;
    const own = group.length === 1 && id !== undefined && !ids.has(id) ? id : undefined;
    if (own !== undefined) ids.add(own);
    return { id: own, methods: group.map(({ method }) => method), requirement };
  });
}

function itemNotes(item: Loose): readonly string[] {
  const extra = item.additionalOperations === undefined ? [] : ['additionalOperations were not carried over'];
  return item.servers === undefined ? extra : [...extra, 'its own `servers` were not carried over'];
}
