import { defaultId } from '../validate/complete.ts';
import type { PathSegment } from '../words/path-pattern.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import { compareShapes, type RouteShape, shapesOf, takersAmong } from './route-shape.ts';
import type { GatewaySubject } from './subject.ts';
import { isWeaker, type TokenRules } from './weaker.ts';

/** A request that a narrow route does not match may go to a wide one with weaker requirements. This is often unintended. */
export const weakerChecks: Checks<GatewaySubject> = {
  'weaker rule around a path': (subject) => {
    const { around, tokenRules } = subject;
    const shapes = shapesOf(subject);
    const takers = takersAmong(shapes.filter(({ conditional }) => !conditional));
    return shapes
      .filter(({ route }) => route.value.access !== 'public')
      .flatMap((shape): Finding[] => {
        const leak = leaks.flatMap(({ leaves, sorts, message, hint }) => {
          const left = leaves(shape);
          const opener = left && openerOf(shape, takers(shape, left), tokenRules);
          return opener === undefined || !sorts(opener, shape) ? [] : [{ opener, message, hint }];
        })[0];
        if (leak === undefined) return [];
        const { value, at } = leak.opener.route;
        const rule = isPublic(leak.opener) ? 'public because of' : 'judged by the weaker rule of';
        const by = `${rule} \`${value.id ?? defaultId(value)}\` (${around.cite(at)})`;
        const pointer = [...shape.route.at, 'match', 'path'];
        return [{ pointer, severity: 'warning', message: `${leak.message} ${by}`, hint: leak.hint }];
      });
  },
};

/** An earlier route that accepts a caller whom this route refuses. */
function openerOf({ route }: RouteShape, takers: readonly RouteShape[], rules: TokenRules): RouteShape | undefined {
  const [first] = takers.toSorted(compareShapes);
  const asked = takers.filter((taker) => first && compareShapes(taker, first) === 0);
  return asked.find((taker) => isWeaker(taker.route.value, route.value, rules));
}

const isPublic = ({ route }: RouteShape): boolean => route.value.access === 'public';

/** soap-lint.ts reports SOAP operations, with different rules. */
function isPublicOrPlain(opener: RouteShape, { route }: RouteShape): boolean {
  return isPublic(opener) || route.value.match.soap_action === undefined;
}

interface Leak {
  /** The path that the route leaves to other routes; undefined: no such path. */
  readonly leaves: (shape: RouteShape) => readonly PathSegment[] | undefined;
  /** True if an author seldom wants this opener to match the left path. */
  readonly sorts: (opener: RouteShape, shape: RouteShape) => boolean;
  readonly message: string;
  readonly hint: string;
}

const BELOW: PathSegment = { kind: 'one', name: 'below' };
const SLASH: PathSegment = { kind: 'literal', text: '', strict: '', decoded: '' };

const leaks: readonly Leak[] = [
  {
    leaves: ({ conditional, segments }) => (conditional ? segments : undefined),
    sorts: isPublicOrPlain,
    message: 'if the conditions are not met, a request for this path is',
    hint: 'add a protected route for the same path without conditions',
  },
  {
    leaves: ({ open, segments }) => (open ? undefined : [...segments, BELOW]),
    sorts: isPublic,
    message: 'each path below this one is',
    hint: 'end the path with `/{rest*}` to protect them too',
  },
  {
    leaves: slashTwin,
    sorts: isPublicOrPlain,
    message: 'the path that differs only in the final slash is',
    hint: 'add a route for it with the same requirements, or end the path with `/{rest*}`: many upstreams serve the same resource there',
  },
];

function slashTwin({ open, segments }: RouteShape): readonly PathSegment[] | undefined {
  if (open) return undefined;
  const last = segments.at(-1);
  if (last?.kind !== 'literal' || last.text !== '') return [...segments, SLASH];
  return segments.length === 1 ? undefined : segments.slice(0, -1);
}
