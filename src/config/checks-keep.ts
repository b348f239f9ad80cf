import type { Checks, Member } from './checks.ts';
import { defaultId } from './complete.ts';
import type { RouteFile } from './gateway.ts';
import { parsePathPattern } from './path-pattern.ts';
import type { Finding } from './problem.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Paths that are kept in a spelling which an upstream may read as another path. */
export const keepChecks: Checks<GatewaySubject> = {
  'kept spelling around a protected path': ({ routes, around }) => {
    const guards = guardsOf(routes);
    return routes.filter(keepsOpen).flatMap((open): Finding[] => {
      const { texts, whole } = leadingLiterals(open.value);
      const guarded = whole ? undefined : guards.get(asText(texts));
      if (guarded === undefined) return [];
      const [key, spelling] =
        open.value.encoded_slashes === 'keep' ? ['encoded_slashes', '%2f'] : ['path_parameters', ';'];
      const name = guarded.value.id ?? defaultId(guarded.value);
      return [
        {
          pointer: [...open.at, key],
          severity: 'warning',
          message: `an upstream that reads \`${spelling}\` leniently is led past \`${name}\` (${around.cite(guarded.at)})`,
          hint: 'keep it only on a route whose path begins with more literals than those of protected routes',
        },
      ];
    });
  },
};

function keepsOpen({ value }: Route): boolean {
  return value.access === 'public' && (value.encoded_slashes === 'keep' || value.path_parameters === 'keep');
}

/**
 * The first protected route that has one more literal after these: an open pattern with a name or a rest there would be
 * led past it.
 */
function guardsOf(routes: readonly Route[]): ReadonlyMap<string, Route> {
  const guards = new Map<string, Route>();
  for (const route of routes.filter(({ value }) => value.access !== 'public')) {
    const { texts } = leadingLiterals(route.value);
    for (const index of texts.keys()) {
      const before = asText(texts.slice(0, index));
      if (!guards.has(before)) guards.set(before, route);
    }
  }
  return guards;
}

function leadingLiterals({ match }: RouteFile): { texts: readonly string[]; whole: boolean } {
  const pattern = parsePathPattern(match.path);
  if (pattern.kind === 'fault') return { texts: [], whole: true };
  const texts: string[] = [];
  for (const segment of pattern.segments) {
    if (segment.kind !== 'literal') return { texts, whole: false };
    texts.push(segment.text);
  }
  return { texts, whole: true };
}

function asText(literals: readonly string[]): string {
  return literals.map((text) => `/${text}`).join('');
}
