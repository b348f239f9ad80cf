import type { RouteFile } from '../schema/gateway.ts';
import type { Member } from './checks.ts';
import { askedAmong, type RouteShape, shapesOf, takersAmong } from './route-shape.ts';
import type { GatewaySubject } from './subject.ts';
import { isWeaker } from './weaker.ts';

/** Two routes. One accepts a POST that an upstream may treat as a request of the other. */
export interface MethodNaming {
  readonly named: Member<RouteFile>;
  readonly post: Member<RouteFile>;
}

/** Methods that forms name in `_method`, because browsers cannot send them. */
const NAMED = ['PUT', 'PATCH', 'DELETE'];

/**
 * Some frameworks treat a POST as the method that `_method` names in its form or query. Then the rule for POST judges a
 * DELETE. One finding for each route that a weaker route can replace.
 */
export function methodNamings(subject: GatewaySubject): readonly MethodNaming[] {
  const shapes = shapesOf(subject);
  const takers = takersAmong(shapes.filter(({ route }) => takes(route.value, 'POST')));
  return shapes.flatMap((shape): MethodNaming[] => {
    const named = NAMED.filter((method) => takes(shape.route.value, method));
    if (named.length === 0 || shape.route.value.access === 'public') return [];
    // If the required route accepts the POST itself, `_method` adds no risk.
    const post = askedAmong(takers(asPost(shape), shape.segments)).find(
      ({ route: { value } }) =>
        named.some((method) => !takes(value, method)) && isWeaker(value, shape.route.value, subject.tokenRules),
    );
    return post === undefined ? [] : [{ named: shape.route, post: post.route }];
  });
}

function takes({ match: { methods } }: RouteFile, method: string): boolean {
  return methods === undefined || methods.includes(method);
}

/** The same requests, with the method POST. */
function asPost(shape: RouteShape): RouteShape {
  const { value } = shape.route;
  const match = { ...value.match, methods: ['POST'] };
  return { ...shape, route: { ...shape.route, value: { ...value, match } } };
}
