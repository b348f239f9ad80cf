import type { KubernetesObject } from '../../../../src/gateway/compile/kubernetes/objects.ts';

/** The semantics of each output, by the documentation of its project, without its code. */

// biome-ignore lint/suspicious/noExplicitAny: the objects of other programs have no types here
type Objects = any;

export interface MeshRequest {
  readonly method: string;
  readonly host: string;
  /** The path and the query, as received. */
  readonly target: string;
}

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string };

export interface MeshVerdict {
  /** The first backend of the rule. Undefined: no rule matches. */
  readonly backend: string | undefined;
  /** allowed: nobody else is asked. asked: Gatehouse decides. */
  readonly access: 'allowed' | 'asked' | 'refused';
}

export type Interpreter = (
  objects: readonly KubernetesObject[],
  request: MeshRequest,
  claims: Claims | undefined,
) => readonly MeshVerdict[];

const REFUSED: MeshVerdict = { backend: undefined, access: 'refused' };

/**
 * Gateway API: the hostname, an exact path, the longest prefix, the method. Implementations differ in what they do if
 * the most specific hostname has no rule for the path, so there are two answers.
 */
function chosenRoutes(objects: readonly KubernetesObject[], request: MeshRequest): readonly Objects[] {
  const routes: Objects[] = objects.filter(({ kind }) => kind === 'HTTPRoute');
  const atHost = routes.filter((route) => matchesHostname(route, request.host));
  const [rank] = atHost.map(hostnameRank).toSorted((one, other) => other - one);
  const strict = atHost.filter((route) => hostnameRank(route) === rank);
  return [bestRoute(strict, request), bestRoute(atHost, request)];
}

function matchesHostname({ spec: { hostnames } }: Objects, host: string): boolean {
  if (hostnames === undefined) return true;
  const name = host.toLowerCase().replace(/:[0-9]+$/, '');
  return hostnames.some((each: string) => (each.startsWith('*.') ? name.endsWith(each.slice(1)) : each === name));
}

function hostnameRank({ spec: { hostnames } }: Objects): number {
  const [name] = hostnames ?? [];
  if (name === undefined) return 0;
  return name.startsWith('*') ? name.length : 1_000 + name.length;
}

function bestRoute(routes: readonly Objects[], request: MeshRequest): Objects {
  const ranked = routes.flatMap((route) =>
    route.spec.rules[0].matches
      .filter(
        (match: Objects) => matchesPath(match.path, request) && (match.method ?? request.method) === request.method,
      )
      .map((match: Objects) => ({ route, rank: [hostnameRank(route), ...matchRank(match)] })),
  );
  return ranked.toSorted((one, other) => compareRanks(other.rank, one.rank))[0]?.route;
}

function pathOf({ target }: MeshRequest): string {
  return target.split('?', 1)[0] ?? '';
}

function matchesPath({ type, value }: Objects, request: MeshRequest): boolean {
  const path = pathOf(request);
  return type === 'Exact' || path === value
    ? path === value
    : path.startsWith(value.endsWith('/') ? value : `${value}/`);
}

function matchRank({ path, method }: Objects): readonly number[] {
  return [path.type === 'Exact' ? 1 : 0, path.value.length, method === undefined ? 0 : 1];
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((rank, at) => rank !== other[at]);
  return index === -1 ? 0 : (one[index] as number) - (other[index] as number);
}

function backendOf(route: Objects): string {
  return route.spec.rules[0].backendRefs[0].name;
}

const gatewayApi: Interpreter = (objects, request) =>
  chosenRoutes(objects, request).map((route) => {
    if (route === undefined) return REFUSED;
    const isAsked = route.spec.rules[0].filters.some(({ type }: Objects) => type === 'ExternalAuth');
    return { backend: backendOf(route), access: isAsked ? 'asked' : 'allowed' };
  });

const envoyGateway: Interpreter = (objects, request, claims) =>
  chosenRoutes(objects, request).map((route) => {
    if (route === undefined) return REFUSED;
    const policy: Objects = objects.find(({ kind, name }) => kind === 'SecurityPolicy' && name === route.name);
    return { backend: backendOf(route), access: policyAccess(policy?.spec, claims) };
  });

function policyAccess(spec: Objects, claims: Claims | undefined): MeshVerdict['access'] {
  if (spec === undefined) return 'allowed';
  if (spec.extAuth !== undefined) return 'asked';
  const provider = spec.jwt.providers.find(({ issuer }: Objects) => issuer === claims?.iss);
  if (claims === undefined || provider === undefined || !hasAudience(provider, claims)) return 'refused';
  const isAllowed = spec.authorization.rules.some(
    ({ principal: { jwt } }: Objects) => jwt.provider === provider.name && holdsPrincipal(jwt, claims),
  );
  return isAllowed ? 'allowed' : 'refused';
}

function hasAudience({ audiences }: Objects, { aud }: Claims): boolean {
  return audiences === undefined || [aud].flat().some((each) => audiences.includes(each));
}

function holdsPrincipal({ scopes = [], claims: wanted = [] }: Objects, claims: Claims): boolean {
  const held = [...listOf(claims.scope), ...listOf(claims.scp)];
  return (
    scopes.every((scope: string) => held.includes(scope)) &&
    wanted.every(({ name, valueType, values }: Objects) => {
      const value = claims[name];
      return valueType === 'StringArray'
        ? Array.isArray(value) && value.some((each) => values.includes(each))
        : typeof value === 'string' && values.includes(value);
    })
  );
}

function listOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' ? value.split(' ') : [value].flat();
}

/** CUSTOM, then DENY, then ALLOW. RequestAuthentication refuses only invalid tokens. */
const istio: Interpreter = (objects, request, claims) =>
  chosenRoutes(objects, request).map((route) => {
    const policies: Objects[] = objects.filter(({ kind }) => kind === 'AuthorizationPolicy').map(({ spec }) => spec);
    const matches = (action: string) =>
      policies.some(
        (spec) =>
          spec.action === action && (spec.rules ?? []).some((rule: Objects) => holdsRule(rule, request, claims)),
      );
    const isAllowed = !matches('DENY') && matches('ALLOW');
    if (route === undefined || !isAllowed) return REFUSED;
    return { backend: backendOf(route), access: matches('CUSTOM') ? 'asked' : 'allowed' };
  });

function holdsRule({ from, to, when = [] }: Objects, request: MeshRequest, claims: Claims | undefined): boolean {
  const principal = claims === undefined ? undefined : `${claims.iss}/${claims.sub}`;
  const isFrom = (from ?? [{ source: {} }]).some(({ source: { requestPrincipals } }: Objects) => {
    return requestPrincipals === undefined || requestPrincipals.some((text: string) => isLike(principal, text));
  });
  const isTo = (to ?? [{ operation: {} }]).some(({ operation }: Objects) => holdsOperation(operation, request));
  return isFrom && isTo && when.every((condition: Objects) => holdsCondition(condition, claims));
}

function holdsOperation(operation: Objects, request: MeshRequest): boolean {
  const values: Readonly<Record<string, string>> = {
    paths: pathOf(request),
    methods: request.method,
    hosts: request.host.toLowerCase(),
  };
  return Object.entries(values).every(([name, value]) => {
    const refused: readonly string[] = operation[`not${name[0]?.toUpperCase()}${name.slice(1)}`] ?? [];
    const wanted: readonly string[] | undefined = operation[name];
    return !refused.some((text) => isLike(value, text)) && (wanted?.some((text) => isLike(value, text)) ?? true);
  });
}

/** The request of this test sends no identity headers. */
function holdsCondition({ key, values, notValues }: Objects, claims: Claims | undefined): boolean {
  if (key.startsWith('request.headers')) return notValues !== undefined;
  const name =
    /^request\.auth\.claims\[(.*)\]$/.exec(key)?.[1] ?? (key === 'request.auth.audiences' ? 'aud' : undefined);
  if (name === undefined || claims === undefined) return false;
  const held = name === 'scope' ? listOf(claims.scope) : [claims[name]].flat();
  return held.some((each) => values.some((text: string) => isLike(each, text)));
}

/** Exact, a prefix, a suffix, or present. */
function isLike(value: unknown, text: string): boolean {
  if (typeof value !== 'string') return false;
  if (text === '*') return value !== '';
  if (text.endsWith('*')) return value.startsWith(text.slice(0, -1));
  return text.startsWith('*') ? value.endsWith(text.slice(1)) : value === text;
}

export const interpreters: Readonly<Record<string, Interpreter>> = {
  'gateway-api': gatewayApi,
  'envoy-gateway': envoyGateway,
  istio,
};
