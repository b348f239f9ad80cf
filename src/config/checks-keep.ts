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
    const opens = routes.filter(keepsOpen).map((open) => ({ open, before: openBefore(open) }));
    const guards = guardsOf(routes, new Set(opens.map(({ before }) => before)));
    return opens.flatMap(({ open, before }): Finding[] => {
      const guarded = guards.get(before);
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

/** The literals that such a route begins with, if anything else follows them. */
function openBefore({ value }: Route): string | undefined {
  const { texts, whole } = leadingLiterals(value);
  return whole ? undefined : texts.map((text) => `/${text}`).join('');
}

/**
 * The first protected route that has one more literal after these: an open pattern with a name or a rest there would be
 * led past it.
 */
function guardsOf(
  routes: readonly Route[],
  wanted: ReadonlySet<string | undefined>,
): ReadonlyMap<string | undefined, Route> {
  const guards = new Map<string | undefined, Route>();
  if (wanted.size === 0) return guards;
  for (const route of routes.filter(({ value }) => value.access !== 'public')) {
    let before = '';
    for (const text of leadingLiterals(route.value).texts) {
      if (wanted.has(before) && !guards.has(before)) guards.set(before, route);
      before += `/${text}`;
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
