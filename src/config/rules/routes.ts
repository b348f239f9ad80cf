import type { RouteFile } from '../schema/gateway.ts';
import { defaultId } from '../validate/complete.ts';
import { closest, didYouMean } from '../words/closest.ts';
import { parseHostPattern } from '../words/host-pattern.ts';
import { parsePathPattern, pathShape } from '../words/path-pattern.ts';
import type { Finding } from '../words/problem.ts';
import { type Checks, type Member, repeated } from './checks.ts';
import { hostOf, isCaseSensitive, shareMethod } from './route-shape.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Rules for what a route matches, and for its upstream. */
export const routeChecks: Checks<GatewaySubject> = {
  'path pattern': ({ routes }) => routes.flatMap(pathFaults),
  'path parameter never matches': ({ routes }) => routes.flatMap(neverMatches),
  method: ({ routes }) => routes.flatMap(methodFaults),
  host: ({ routes }) => routes.flatMap(hostFaults),
  'equal routes': equalRoutes,
  'route id twice': ({ routes }) => repeated(routes, idOf).flatMap(idFaults),
  'upstream of a route': upstreamFaults,
  'default upstream': ({ config, known }) =>
    unknownUpstream(['defaults', 'upstream'], config.defaults.upstream, known.upstreams),
};

function pathFaults({ at, value }: Route): readonly Finding[] {
  const parsed = parsePathPattern(value.match.path);
  return parsed.kind === 'pattern'
    ? []
    : [{ pointer: [...at, 'match', 'path'], message: parsed.message, hint: parsed.hint }];
}

function neverMatches({ at, value }: Route): readonly Finding[] {
  if (value.path_parameters === 'keep' || !value.match.path.includes(';')) return [];
  return [
    {
      pointer: [...at, 'match', 'path'],
      message: 'this can never match: the gateway refuses a path with `;`',
      hint: 'write `path_parameters: keep` in the route',
    },
  ];
}

/** Methods that may be answered without credentials. */
export const usualMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function methodFaults({ at, value }: Route): readonly Finding[] {
  return (value.match.methods ?? []).flatMap((method, index, all): Finding[] => {
    const pointer = [...at, 'match', 'methods', index];
    if (method.toUpperCase() === 'CONNECT')
      return [{ pointer, message: 'CONNECT requests a tunnel, which the gateway does not support' }];
    if (!/^[A-Z0-9!#$%&'*+.^_`|~-]+$/.test(method)) {
      return [
        {
          pointer,
          message: `\`${method}\` is not a method: methods are upper-case words (RFC 9110 §9.1)`,
          hint: didYouMean(method, usualMethods),
        },
      ];
    }
    if (all.indexOf(method) !== index) return [{ pointer, message: `\`${method}\` occurs twice` }];
    return unusual(method)
      ? [
          {
            pointer,
            severity: 'warning',
            message: `\`${method}\` is an unusual method`,
            hint: didYouMean(method, usualMethods),
          },
        ]
      : [];
  });
}

/** True for a method that differs from a usual one by one typing error, such as GTE. It is probably not a separate method. */
export function unusual(method: string): boolean {
  return !usualMethods.includes(method) && closest(method, usualMethods) !== undefined;
}

function hostFaults({ at, value }: Route): readonly Finding[] {
  const { host } = value.match;
  if (host === undefined || parseHostPattern(host) !== undefined) return [];
  return [
    {
      pointer: [...at, 'match', 'host'],
      message: `\`${host}\` is not a host`,
      hint: 'write a name such as api.example.com or {tenant}.example.com, without scheme and path',
    },
  ];
}

/** Of two routes for the same host, path and method, one would never match. */
function equalRoutes({ routes, around, config }: GatewaySubject): readonly Finding[] {
  const byPlace = new Map<string, Route[]>();
  return routes.flatMap((route): Finding[] => {
    const place = placeOf(route, config);
    if (place === undefined) return [];
    const before = byPlace.get(place) ?? [];
    byPlace.set(place, [...before, route]);
    const other = before.find((earlier) => shareMethod(earlier.value, route.value));
    if (other === undefined) return [];
    const message = `this route is equal to the route in ${around.cite(other.at)}: same host, path, method and conditions`;
    return [
      { pointer: route.at, message, hint: 'remove one of the routes, or change its host, path, methods or conditions' },
    ];
  });
}

function placeOf({ value }: Route, config: GatewaySubject['config']): string | undefined {
  const { match } = value;
  const parsed = parsePathPattern(match.path);
  if (parsed.kind === 'fault') return undefined;
  const path = pathShape(parsed, isCaseSensitive(value, config));
  return `${hostOf(match.host) ?? ''}${path} ${conditionsShape(match)}`;
}

/** The conditions in a fixed order, with header names in lower case. */
function conditionsShape({ headers = {}, query = {}, soap_action }: RouteFile['match']): string {
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return JSON.stringify([lines.sort(), Object.entries(query).sort(), soap_action]);
}

function idOf({ value }: Route): string {
  return value.id ?? defaultId(value);
}

/** Two routes without an id have the same generated id only if they are equal, and this is already reported. */
function idFaults([route, other]: readonly [Route, Route]): readonly Finding[] {
  if (route.value.id === undefined && other.value.id === undefined) return [];
  const message = `another route has the id \`${idOf(route)}\``;
  return [
    {
      pointer: [...route.at, 'id'],
      message,
      hint: 'ids name routes in logs and metrics, so give each route its own id',
    },
  ];
}

function upstreamFaults({ routes, config, known }: GatewaySubject): readonly Finding[] {
  return routes.flatMap(({ at, value }): readonly Finding[] => {
    if (value.upstream !== undefined) return unknownUpstream([...at, 'upstream'], value.upstream, known.upstreams);
    if (config.defaults.upstream !== undefined) return [];
    return [
      {
        pointer: at,
        message: 'this route has no upstream',
        hint: 'write `upstream: NAME` in the route, or once in `defaults`',
      },
    ];
  });
}

function unknownUpstream(
  pointer: Finding['pointer'],
  name: string | undefined,
  known: readonly string[],
): readonly Finding[] {
  return name === undefined || known.includes(name)
    ? []
    : [{ pointer, message: `there is no upstream \`${name}\``, hint: didYouMean(name, known) }];
}
