import type { Checks, Member } from './checks.ts';
import { defaultId } from './complete.ts';
import type { RouteFile } from './gateway.ts';
import { parsePathPattern } from './path-pattern.ts';
import type { Finding } from './problem.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Paths that are kept in a spelling which an upstream may read as another path. */
export const keepChecks: Checks<GatewaySubject> = {
  'kept spelling around a protected path': ({ routes, around }) =>
    routes.filter(keepsOpen).flatMap((open): Finding[] => {
      const guarded = routes.find(({ value }) => value.access !== 'public' && covers(open.value, value));
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
    }),
};

function keepsOpen({ value }: Route): boolean {
  return value.access === 'public' && (value.encoded_slashes === 'keep' || value.path_parameters === 'keep');
}

/** Whether the open pattern begins with a name or a rest where the protected one still has literals. */
function covers(open: RouteFile, guarded: RouteFile): boolean {
  const [wide, narrow] = [parsePathPattern(open.match.path), parsePathPattern(guarded.match.path)];
  if (wide.kind === 'fault' || narrow.kind === 'fault') return false;
  for (const [index, segment] of wide.segments.entries()) {
    const other = narrow.segments[index];
    if (segment.kind !== 'literal') return other?.kind === 'literal';
    if (other?.kind !== 'literal' || other.text !== segment.text) return false;
  }
  return false;
}
