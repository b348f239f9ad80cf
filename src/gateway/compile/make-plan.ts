import type { Pointer, Position } from '../../config/load/load.ts';
import { headersThatDecide } from '../../config/rules/looked-at.ts';
import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import { parseHostPattern } from '../../config/words/host-pattern.ts';
import { impliersIn } from '../../config/words/implied-scopes.ts';
import { parsePathPattern } from '../../config/words/path-pattern.ts';
import { resourceMetadataUrl } from '../../config/words/resource-metadata.ts';
import { protectedResources } from '../decide/protected-resources.ts';
import { scopeRequirement } from '../message/scope-requirement.ts';
import { fileRules, serverRules, upstreamRules } from './file-rules.ts';
import { type Unsaid, unsaidIn } from './known-keys.ts';
import { type Concerning, noLimits, type TargetLimits } from './limits.ts';
import { mayShareAPath, planEntries } from './order.ts';
import type {
  CannotSay,
  CompiledSource,
  CompileFinding,
  CompilePlan,
  Judged,
  PlannedDocument,
  PlannedRoute,
  PlannedServer,
  UnjudgedRoute,
} from './plan.ts';
import { matchRules, routeRules } from './route-rules.ts';

/** What the target does with routes that it cannot judge exactly. */
export const unsupportedModes = ['error', 'ask', 'omit'] as const;
export type UnsupportedMode = (typeof unsupportedModes)[number];

export interface PlanInput {
  readonly config: GatewayConfig;
  readonly directory: string;
  readonly locate: (pointer: Pointer) => Position;
  readonly source: CompiledSource;
  /** A server's name → the usable keys of its `jwks_file`. */
  readonly keys: ReadonlyMap<string, readonly object[]>;
}

/** What the target can say, and the differences that the operator has accepted. */
export interface PlanOptions {
  readonly limits?: TargetLimits;
  readonly accepted?: ReadonlySet<string>;
}

/** Judges every part of the file. A route with any finding is never judged by the target itself. */
export function makePlan(
  input: PlanInput,
  mode: UnsupportedMode,
  { limits = noLimits, accepted = new Set() }: PlanOptions = {},
): CompilePlan {
  const { config, directory, source } = input;
  const routes = config.routes.map((route, index) => plannedRoute(input, route, index));
  const all = withTopics(input, limits, routes);
  const isAccepted = ({ accept }: CompileFinding) => accept !== undefined && accepted.has(accept);
  const open = all.filter((finding) => !isAccepted(finding));
  const judged = withJudges(routes, open, { mode, limits });
  const findings = limits.own === undefined ? open : open.filter(({ askable }) => askable === false);
  const unaskable = judged.flatMap((route) => unaskableRoute(input, route, { all: judged, limits }));
  return {
    config,
    directory,
    source,
    routes: judged,
    entries: planEntries(judged),
    servers: plannedServers(input, judged),
    documents: documentsOf(config),
    findings: [...findings, ...unaskable],
    accepted: all.filter(isAccepted),
  };
}

interface JudgeOptions {
  readonly mode: UnsupportedMode;
  readonly limits: TargetLimits;
}

function withJudges(
  routes: readonly UnjudgedRoute[],
  findings: readonly CompileFinding[],
  { mode, limits: { own } }: JudgeOptions,
): readonly PlannedRoute[] {
  const of = (route: UnjudgedRoute) => findings.filter((finding) => finding.routes.includes(route.id));
  if (own === undefined) return routes.map((route) => ({ ...route, judged: judgedBy(mode, of(route)) }));
  const isHard = (route: UnjudgedRoute) => of(route).some(({ askable }) => askable === false);
  const lost = mode === 'ask' ? [] : routes.filter(isHard);
  return routes.map((route) => {
    if (lost.some((each) => each === route || own.mayMeet(each, route))) return { ...route, judged: 'omitted' };
    return { ...route, judged: of(route).length === 0 && own.canJudge(route, routes) ? 'here' : 'asked' };
  });
}

/** The findings that stop a compilation. */
export function stoppingFindings({ findings }: CompilePlan, mode: UnsupportedMode): readonly CompileFinding[] {
  if (mode === 'error') return findings;
  return mode === 'ask' ? findings.filter(({ askable }) => askable === false) : [];
}

function judgedBy(mode: UnsupportedMode, findings: readonly CompileFinding[]): Judged {
  if (findings.length === 0) return 'here';
  return mode === 'ask' ? 'asked' : 'omitted';
}

function withTopics(
  input: PlanInput,
  limits: TargetLimits,
  planned: readonly UnjudgedRoute[],
): readonly CompileFinding[] {
  const { tables } = limits;
  const { config, locate } = input;
  const finding = (unsaid: Unsaid, routes: readonly string[]): CompileFinding => {
    const { file, line } = locate(unsaid.pointer);
    const { pointer, ...reason } = unsaid;
    return { ...reason, at: `${file}:${line}`, what: pointer.join('.'), routes };
  };
  const ofFile = unsaidIn(config, { ...fileRules, ...tables.file }, { pointer: [], context: undefined });
  return [
    ...ofFile.map(({ pointer: [key = ''], ...reason }) =>
      finding({ ...reason, pointer: [writtenAs[key] ?? key] }, routesUnder(config, String(key))),
    ),
    ...serverFindings(input, limits).map(({ unsaid, routes }) => finding(unsaid, routes)),
    ...upstreamFindings(input, tables).map(({ unsaid, routes }) => finding(unsaid, routes)),
    ...config.routes.flatMap((route, index) =>
      routeFindings(config, route, { index, tables }).map((unsaid) => finding(unsaid, [route.id])),
    ),
    ...limits.whole({ config, routes: planned }).map(({ unsaid, routes }) => finding(unsaid, routes)),
  ];
}

/** Settings that the loaded file has under a name of its own. */
const writtenAs: Readonly<Record<string, string>> = { is_host_forwarded: 'trusted_proxies' };

/** Keys of the file that a route may replace. */
const replaced: Readonly<Record<string, (route: RouteConfig) => boolean>> = {
  mode: ({ mode }) => mode !== undefined,
  bearer_methods_supported: (route) => route.access === 'public' || route.bearer_methods_supported !== undefined,
  limits: ({ limits }) => limits?.body !== undefined,
};

function routesUnder({ routes }: GatewayConfig, key: string): readonly string[] {
  const isReplaced = replaced[key] ?? (() => false);
  return routes.filter((route) => !isReplaced(route)).map(({ id }) => id);
}

function serverFindings({ config, keys }: PlanInput, { tables, servers }: TargetLimits): readonly Concerning[] {
  return Object.entries(config.authorization_servers).flatMap(([name, server]) => {
    const pointer = ['authorization_servers', name];
    const routes = config.routes.filter((route) => serversOf(config, route).includes(name)).map(({ id }) => id);
    if (routes.length === 0) return [];
    const found = unsaidIn(server, { ...serverRules, ...tables.server }, { pointer, context: server });
    const lacking = keyFinding(server.jwks_uri, keys.get(name));
    const ofAll = [...servers, ...(lacking === undefined ? [] : [lacking])].map((reason) => ({ ...reason, pointer }));
    return [...found, ...ofAll].map((unsaid) => ({ unsaid, routes }));
  });
}

function keyFinding(uri: string | undefined, keys: readonly object[] | undefined): CannotSay | undefined {
  if (keys === undefined)
    return uri === undefined
      ? { why: 'the proxy does not read the metadata of an issuer', remedy: 'set `jwks_uri` or `jwks_file`' }
      : undefined;
  if (keys.length === 0)
    return { why: '`jwks_file` has no usable key', remedy: 'write the keys of the server into it' };
  return keys.every((key) => 'alg' in key)
    ? undefined
    : {
        why: 'a key of `jwks_file` has no `alg`, so the proxy would accept it for every algorithm',
        remedy: 'add `alg`',
      };
}

function upstreamFindings({ config }: PlanInput, tables: Tables): readonly Concerning[] {
  return Object.entries(config.upstreams).flatMap(([name, upstream]) => {
    const routes = config.routes.filter((route) => upstreamOf(config, route) === name).map(({ id }) => id);
    if (routes.length === 0) return [];
    const found = unsaidIn(
      upstream,
      { ...upstreamRules, ...tables.upstream },
      { pointer: ['upstreams', name], context: upstream },
    );
    return found.map((unsaid) => ({ unsaid, routes }));
  });
}

type Tables = TargetLimits['tables'];

function routeFindings(
  config: GatewayConfig,
  route: RouteConfig,
  { index, tables }: { readonly index: number; readonly tables: Tables },
): readonly Unsaid[] {
  const servers = serversOf(config, route).map((name) => config.authorization_servers[name]);
  const scopeClaims = new Set(servers.flatMap((server) => server?.scope_claims ?? []));
  const pointer = ['routes', index];
  return [
    ...unsaidIn(
      route.match,
      { ...matchRules, ...tables.match },
      {
        pointer: [...pointer, 'match'],
        context: { caseSensitive: isCaseSensitive(config, route) },
      },
    ),
    ...unsaidIn(
      route,
      { ...routeRules, ...tables.route },
      { pointer, context: { scopeClaims, readsAnyHeader: headersThatDecide(route) === 'any' } },
    ),
  ];
}

function isCaseSensitive(config: GatewayConfig, route: RouteConfig): boolean {
  return config.upstreams[upstreamOf(config, route)]?.case_sensitive ?? true;
}

/** A public route accepts no token. */
function serversOf(config: GatewayConfig, route: RouteConfig): readonly string[] {
  if (route.access === 'public') return [];
  return route.authorization_servers ?? Object.keys(config.authorization_servers);
}

function upstreamOf({ defaults }: GatewayConfig, { upstream = defaults.upstream ?? '' }: RouteConfig): string {
  return upstream;
}

function plannedRoute({ config, locate }: PlanInput, route: RouteConfig, index: number): UnjudgedRoute {
  const { file, line } = locate(['routes', index]);
  const pattern = parsePathPattern(route.match.path);
  const upstream = upstreamOf(config, route);
  const upstreamConfig = config.upstreams[upstream];
  if (pattern.kind === 'fault' || upstreamConfig === undefined) throw new Error(`route ${route.id} was not checked`);
  const { match, access = 'scope', identity_headers = config.defaults.identity_headers } = route;
  return {
    id: route.id,
    at: `${file}:${line}`,
    config: route,
    host: match.host === undefined ? undefined : parseHostPattern(match.host),
    segments: pattern.segments,
    caseSensitive: upstreamConfig.case_sensitive,
    methods: match.methods,
    conditions: conditionsOf(match),
    access,
    scope: route.scope === undefined ? undefined : scopeRequirement(route.scope, impliersIn(config.scopes)),
    servers: new Map(serversOf(config, route).map((name) => [name, audienceOf(config, route, name)])),
    upstream,
    upstreamConfig,
    identity: identity_headers,
  };
}

function conditionsOf({ headers = {}, query = {}, soap_action }: RouteConfig['match']): number {
  return Object.keys(headers).length + Object.keys(query).length + (soap_action === undefined ? 0 : 1);
}

function audienceOf(config: GatewayConfig, { audience }: RouteConfig, server: string): string | undefined {
  const wanted = audience ?? config.authorization_servers[server]?.audience;
  return wanted === 'any' ? undefined : wanted;
}

function plannedServers(
  { config, locate, keys }: PlanInput,
  routes: readonly PlannedRoute[],
): ReadonlyMap<string, PlannedServer> {
  const used = new Set(routes.filter(({ judged }) => judged === 'here').flatMap(({ servers }) => [...servers.keys()]));
  const planned = Object.entries(config.authorization_servers)
    .filter(([name]) => used.has(name))
    .map(([name, server]): [string, PlannedServer] => {
      const { file, line } = locate(['authorization_servers', name]);
      return [name, { name, at: `${file}:${line}`, config: server, keys: keys.get(name) }];
    });
  return new Map(planned);
}

/**
 * The target chooses the upstream before Gatehouse decides. If Gatehouse could choose a route to another upstream, an
 * answer about this one would open that one.
 */
function unaskableRoute(
  { config, locate }: PlanInput,
  route: PlannedRoute,
  { all, limits }: { readonly all: readonly PlannedRoute[]; readonly limits: TargetLimits },
): readonly CompileFinding[] {
  if (route.judged !== 'asked') return [];
  const index = config.routes.indexOf(route.config);
  const { file, line } = locate(['routes', index]);
  const finding = { at: `${file}:${line}`, what: `routes.${index}`, routes: [route.id], askable: false as const };
  if (config.decision === undefined)
    return [
      { ...finding, why: 'the file has no `decision`, so the proxy cannot ask Gatehouse', remedy: 'set `decision`' },
    ];
  const isExact =
    limits.hasOwnOrder || (route.conditions === 0 && matchRules.path(route.config.match.path, route) === undefined);
  const other = isExact
    ? undefined
    : all.find((each) => each.upstream !== route.upstream && mayShareAPath(each, route));
  if (other === undefined) return [];
  const why = `the proxy cannot choose between the upstreams of this route and of \`${other.id}\``;
  return [{ ...finding, why, remedy: 'give both routes the same upstream, or serve them with Gatehouse itself' }];
}

function documentsOf(config: GatewayConfig): readonly PlannedDocument[] {
  const resources = new Set([config.resource, ...config.routes.map(({ resource }) => resource)]);
  const find = protectedResources(config);
  return [...resources].flatMap((resource) => {
    if (resource === undefined) return [];
    const url = resourceMetadataUrl(resource);
    const host = parseHostPattern(url.host);
    const body = find.find(host?.exact ?? '', url.pathname);
    return body === undefined ? [] : [{ host, path: url.pathname, body }];
  });
}
