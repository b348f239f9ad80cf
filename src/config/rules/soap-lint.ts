import type { RouteFile } from '../schema/gateway.ts';
import { defaultId } from '../validate/complete.ts';
import type { Finding } from '../words/problem.ts';
import { askedAmong, type RouteShape, shapesOf, takersAmong } from './route-shape.ts';
import type { GatewaySubject } from './subject.ts';

/**
 * The caller writes both the body and SOAPAction (or `action` of SOAP 1.2). An application must not rely on the header, and
 * uses the first element of the body (WS-I Basic Profile 1.1, R1127). So a condition on the header does not protect an
 * operation that another route guards, or that no route allows. There is one finding for each path.
 */
export function soapLint(subject: GatewaySubject): readonly Finding[] {
  const shapes = shapesOf(subject);
  const takers = takersAmong(shapes);
  const told = new Set<RouteShape>();
  return shapes.filter(isSoap).flatMap((shape): Finding[] => {
    // The routes that get a request to the same place with a different SOAPAction.
    const rivals = askedAmong(takers(shape, shape.segments));
    const isTold = rivals.some((rival) => told.has(rival));
    told.add(shape);
    const pointer = [...shape.route.at, 'match', 'soap_action'];
    const other = rivals.find((rival) => requirement(rival) !== requirement(shape));
    if (isTold || (other === undefined && rivals.some((rival) => !isSoap(rival)))) return [];
    if (other === undefined) return [{ pointer, severity: 'warning', ...unlisted }];
    const name = `\`${other.route.value.id ?? defaultId(other.route.value)}\` (${subject.around.cite(other.route.at)})`;
    return [{ pointer, severity: 'warning', ...mixed(name) }];
  });
}

const REFUSE = 'make sure that the application refuses a request whose SOAPAction and body name different operations';

const mixed = (other: string) => ({
  message: `${other} sets a different requirement for this path: a caller can name one operation in SOAPAction, and put another operation into the body`,
  hint: `give all routes of the path the same requirement, or ${REFUSE}`,
});

const unlisted = {
  message:
    'SOAPAction does not protect other operations: the caller chooses it, and the application may execute the operation in the body',
  hint: `protect the whole path with a route without \`soap_action\`, or ${REFUSE}`,
};

function isSoap({ route }: RouteShape): boolean {
  return route.value.match.soap_action !== undefined;
}

const required = [
  'access',
  'scope',
  'claims',
  'when',
  'audience',
  'authorization_servers',
  'mode',
  'origins',
] as const satisfies readonly (keyof RouteFile)[];

function requirement({ route }: RouteShape): string {
  return JSON.stringify(required.map((key) => route.value[key] ?? null));
}
