import { RESOURCE_METADATA } from '../../config/words/resource-metadata.ts';
import type { Code } from '../message/codes.ts';
import { isLastHop, isPreflight, type RequestHead } from '../message/request-head.ts';
import { judgeTarget, originForm, type Target } from '../message/target.ts';
import {
  type Ambiguous,
  ambiguityDetail,
  matchReadings,
  placedInReadings,
  type RouteLookup,
  RouteTable,
} from '../routing/routes.ts';
import { hostNames } from './authority.ts';
import { wantsForm } from './credentials.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { enforce } from './enforce.ts';
import { findFrameFault, namedDecisive } from './framing.ts';
import { type Outcome, type Refuse, type Reply, refuse } from './outcome.ts';
import { refusedOrigin } from './page-origins.ts';
import type { ProtectedResources } from './protected-resources.ts';
import { withCall } from './read-call.ts';
import type { Route } from './route.ts';
import type { Routed, WantedEntity } from './routed.ts';
import { forwardInShadow } from './shadow.ts';
import { unmetDetail } from './unmet-conditions.ts';

/**
 * The decision engine: RequestHead in, Outcome out. It depends on no framework and no socket. The proxy and every
 * command that explains or tests a decision use it.
 */
export interface DecisionEngine {
  route(head: RequestHead): Routed | Refuse | Reply;
  /** The body that the gateway must read before it decides, and its limit in bytes. */
  needs(routed: Routed): WantedEntity | undefined;
  /** For a cached credential, the outcome comes without a promise. */
  decide(routed: Routed, entity?: Buffer): Outcome | Promise<Outcome>;
}

export type { WantedEntity } from './routed.ts';

export interface EngineParts {
  readonly routes: readonly Route[];
  /** Where a request without a route goes, if the whole file is in shadow mode. */
  readonly unrouted: Route | undefined;
  readonly resources: ProtectedResources;
  readonly crossOrigin: CrossOrigin | undefined;
}

export function buildEngine(parts: EngineParts): DecisionEngine {
  const looksOn = [...parts.routes, parts.unrouted].some((route) => route?.onlyLooksOn);
  const router: Router = { ...parts, table: new RouteTable(parts.routes), hostName: hostNames(), looksOn };
  return {
    route: (head) => route(router, head),
    needs: ({ head, route, preflight, wanted }) =>
      preflight || wanted === undefined || !readable(route, head, wanted.limit) ? undefined : wanted,
    decide: (routed, entity) => (routed.route.mcp === undefined ? decide(routed, entity) : decideCall(routed, entity)),
  };
}

function decide(routed: Routed, entity: Buffer | undefined): Outcome | Promise<Outcome> {
  return routed.route.shadow ? forwardInShadow(routed, entity) : enforce(routed, entity);
}

/** Every answer about a message repeats its id, and every record names its tool. */
function decideCall(routed: Routed, entity: Buffer | undefined): Outcome | Promise<Outcome> {
  const called = withCall(routed, entity);
  const outcome = decide(called, entity);
  const about = (settled: Outcome): Outcome =>
    settled.kind === 'reply' || called.call === undefined ? settled : { ...settled, call: called.call };
  return outcome instanceof Promise ? outcome.then(about) : about(outcome);
}

const NO_CONTENT: Reply = { kind: 'reply', route: undefined, status: 204, headers: [], body: '', reason: undefined };

interface Router extends EngineParts {
  readonly table: RouteTable<Route>;
  readonly hostName: (authority: string) => string | undefined;
  /** Whether any route is in shadow mode together with all other routes of its upstream. */
  readonly looksOn: boolean;
}

/**
 * In shadow mode, the gateway must forward the whole form. So it reads only a form with a known length within the
 * limit.
 */
function readable({ shadow }: Route, { contentLength }: RequestHead, limit: number): boolean {
  return !shadow || (contentLength !== undefined && Number(contentLength.value) <= limit);
}

/**
 * A form that may contain an access_token (RFC 6750 §2.2), or any body whose hash is in the credentials (RFC 7616
 * §3.4.3).
 */
function wantedEntity(route: Route, head: RequestHead): WantedEntity | undefined {
  if (!head.hasBody) return undefined;
  if (route.mcp !== undefined) return wantedMessage(route, route.mcp.body, head);
  if (route.access === 'public') return undefined;
  if (wantsForm(head, route.bearerMethods))
    return { kind: 'form', limit: route.limits.form, tooLarge: 'form_too_large' };
  // Two Authorization headers are refused, whatever the body contains.
  if ((head.authorization?.lines ?? 0) > 1) return undefined;
  for (const scheme of route.schemes) {
    const isAbsent = head.authorization === undefined && scheme.places === undefined;
    const limit = isAbsent ? undefined : scheme.wantsEntity(head);
    if (limit !== undefined) return { kind: 'hashed', limit, tooLarge: 'integrity_too_large' };
  }
  return undefined;
}

/** The gateway does not read the message of a stranger. */
function wantedMessage({ access, schemes }: Route, limit: number, head: RequestHead): WantedEntity | undefined {
  const mayBeKnown =
    access === 'public' ||
    access === 'optional' ||
    head.authorization !== undefined ||
    schemes.some(({ places }) => places !== undefined);
  return mayBeKnown ? { kind: 'message', limit, tooLarge: 'mcp_message_too_large' } : undefined;
}

function route(router: Router, head: RequestHead): Routed | Refuse | Reply {
  const framing = findFrameFault(head);
  if (framing !== undefined) return refuse(framing);
  const host = head.host?.lines === 1 ? router.hostName(head.host.value) : undefined;
  if (host === undefined) return refuse('host_invalid');
  if (head.method === 'CONNECT' || (head.method === 'TRACE' && !router.looksOn)) return noMethod();
  if (isLastHop(head)) return head.method === 'OPTIONS' ? NO_CONTENT : noMethod();
  const target = judgeTarget(head.method, head.target);
  if (target.kind === 'refused') return misshapen(router, head, host, refuse(target.code));
  if (target.authority !== undefined && !sameAuthority(target.authority, head)) return refuse('target_other_host');
  // `*` names the server (RFC 9110 §9.3.7), so it matches no path pattern.
  if (target.path === '*') return aboutServer(router, head, host);
  const document = mayBeMetadata(head, target) ? router.resources.find(host, target.path) : undefined;
  if (document !== undefined) return documentReply(document);
  const question = { host, key: target.key, method: head.method, head, query: target.query };
  const found = findRoute(router, head, target, question);
  return found.kind === 'routed' ? judgeFields(router, found, question) : found;
}

function findRoute(router: Router, head: RequestHead, target: Target, question: RouteLookup): Routed | Refuse | Reply {
  if (head.method === 'TRACE') return traced(matched(router, head, target, question));
  return isPreflight(head) ? preflight(router, head, target, question) : matched(router, head, target, question);
}

/**
 * TRACE would show the client the headers that the gateway adds (RFC 9110 §9.3.8). So a forwarded TRACE carries no
 * identity.
 */
function traced(found: Routed | Refuse): Routed | Refuse {
  const refusal = noMethod();
  return found.kind === 'routed' && found.route.onlyLooksOn ? { ...found, wouldRefuse: refusal } : refusal;
}

/** CONNECT requests a tunnel. */
function noMethod(): Refuse {
  return refuse('method_not_allowed', { allow: [] });
}

/**
 * Shadow mode forwards such a target, but only to the judged host, because servers prefer the target's host to Host.
 */
function misshapen(router: Router, head: RequestHead, host: string, refusal: Refuse): Routed | Refuse {
  const origin = originForm(head.target);
  if (origin === undefined) return refusal;
  if (origin.authority !== undefined && !sameAuthority(origin.authority, head)) return refuse('target_other_host');
  return unrouted(router, head, host, refusal);
}

function aboutServer({ unrouted: route }: Router, head: RequestHead, host: string): Routed | Refuse {
  const refusal = refuse('route_not_found');
  const goesOn = route?.onlyLooksOn === true && route.upstream.takesAsterisk;
  return goesOn ? routedTo(route, { head, host, target: asReceived(head) }, refusal) : refusal;
}

/** Fields that decide must occur once and must reach the upstream. Otherwise the upstream could serve another route. */
function judgeFields({ table }: Router, routed: Routed, question: RouteLookup): Routed | Refuse {
  const refusal = refuseNamed(table, routed, question) ?? refuseRepeated(routed, question);
  if (refusal === undefined) return routed;
  return routed.route.onlyLooksOn ? { ...routed, wouldRefuse: routed.wouldRefuse ?? refusal } : refusal;
}

function refuseNamed(
  table: RouteTable<Route>,
  { head, route, target }: Routed,
  question: RouteLookup,
): Refuse | undefined {
  const detail = head.connection && namedDecisive(head, () => placedInReadings(table, question, target));
  return detail === undefined ? undefined : refuse('connection_names_decisive', { route, detail });
}

function refuseRepeated({ route }: Routed, question: RouteLookup): Refuse | undefined {
  const detail = route.requirements.repeated?.(question);
  return detail === undefined ? undefined : refuse('match_repeated', { route, detail });
}

function matched(router: Router, head: RequestHead, target: Target, question: RouteLookup): Routed | Refuse {
  const { host } = question;
  const match = matchReadings(router.table, question, target);
  switch (match.kind) {
    case 'route':
      return judged(match.route, head, host, target);
    case 'ambiguous':
      return ambiguous(router, match, { head, host, target });
    case 'repeated':
      return unrouted(router, head, host, refuse('match_repeated', { route: match.route }));
    case 'not_found':
      return unrouted(
        router,
        head,
        host,
        refuse('route_not_found', { detail: unmetDetail(router.table.placed(question), question) }),
      );
    case 'method_not_allowed':
      return unrouted(router, head, host, refuse('method_not_allowed', { allow: match.allow }));
  }
}

/** Shadow mode forwards an ambiguous path by one of its routes, if no reading of the path leads to an enforced route. */
function ambiguous(
  router: Router,
  match: Ambiguous<Route>,
  request: Pick<Routed, 'head' | 'host' | 'target'>,
): Routed | Refuse {
  const [route] = match.readings.flatMap((reading) => (reading.kind === 'route' ? [reading.route] : []));
  const refusal = refuse('target_ambiguous', { route, detail: ambiguityDetail(match) });
  const passes = match.readings.every((reading) =>
    reading.kind === 'route' ? reading.route.onlyLooksOn : router.unrouted?.onlyLooksOn === true,
  );
  if (!passes || route === undefined) return refusal;
  return routedTo(route, request, refusal);
}

/** Checks the target, the page's origin and the body length against the route's rules. */
function judged(route: Route, head: RequestHead, host: string, target: Target): Routed | Refuse {
  const unclear = judgePath(route, target);
  if (unclear !== undefined && !route.onlyLooksOn) return unclear;
  const wanted = wantedEntity(route, head);
  const refusal = unclear ?? judgeOrigin(route, head) ?? judgeLength(route, head, wanted);
  if (refusal !== undefined && !route.shadow) return refusal;
  return { kind: 'routed', head, host, target, route, wouldRefuse: refusal, preflight: false, wanted };
}

/** The result for a route that only observes. `wouldRefuse`: the refusal that enforcing would cause. */
function routedTo(route: Route, request: Pick<Routed, 'head' | 'host' | 'target'>, wouldRefuse: Refuse): Routed {
  const wanted = wantedEntity(route, request.head);
  return { kind: 'routed', ...request, route, wouldRefuse, preflight: false, wanted };
}

function judgePath(route: Route, target: Target): Refuse | undefined {
  if (target.encodedSlash && !route.keepEncodedSlashes) return refuse('target_encoded_slash', { route });
  if (target.parameter && !route.keepParameters) return refuse('target_path_parameter', { route });
  return undefined;
}

function judgeOrigin(route: Route, head: RequestHead): Refuse | undefined {
  const detail = route.origins && refusedOrigin(route.origins, head);
  return detail === undefined ? undefined : refuse('origin_refused', { route, detail });
}

function judgeLength(
  route: Route,
  { contentLength }: RequestHead,
  wanted: WantedEntity | undefined,
): Refuse | undefined {
  if (contentLength === undefined) return undefined;
  const length = Number(contentLength.value);
  if (length > route.limits.body) return refuse('body_too_large', { route });
  return wanted !== undefined && length > wanted.limit ? refuse(wanted.tooLarge, { route }) : undefined;
}

/** The other refusals mean that the route is unknown, so it may be an enforced one. */
const KNOWN_TO_HAVE_NONE: ReadonlySet<Code> = new Set(['route_not_found', 'method_not_allowed']);

/** If the whole file is in shadow mode, a request without a route goes to the default upstream unchanged. */
function unrouted({ unrouted: route }: Router, head: RequestHead, host: string, refusal: Refuse): Routed | Refuse {
  if (route === undefined || (!route.onlyLooksOn && !KNOWN_TO_HAVE_NONE.has(refusal.code))) return refusal;
  return routedTo(route, { head, host, target: asReceived(head) }, refusal);
}

function asReceived({ target }: RequestHead): Target {
  const path = originForm(target)?.text ?? target;
  return {
    kind: 'target',
    path,
    key: path,
    decoded: [],
    query: '',
    encodedSlash: false,
    parameter: false,
    authority: undefined,
  };
}

/** RFC 9112 §3.2.2: an absolute-form target and Host must agree. */
function sameAuthority(authority: string, head: RequestHead): boolean {
  return authority.toLowerCase() === head.host?.value.toLowerCase();
}

const NO_CORS = 'the file has no `cors`, so pages of other origins may not call the API';

/**
 * The gateway answers a preflight from the routes of the path. But if the requested method's route leaves CORS to the
 * upstream, the upstream answers. A page whose request would be refused for its origin gets the same refusal, so that it
 * learns nothing about the route.
 */
function preflight(router: Router, head: RequestHead, target: Target, question: RouteLookup): Routed | Refuse | Reply {
  const asked = matchReadings(router.table, { ...question, method: head.requestedMethod?.value ?? '' }, target);
  if (asked.kind === 'ambiguous') return ambiguous(router, asked, { head, host: question.host, target });
  if (asked.kind === 'route' && (asked.route.corsUpstream || asked.route.onlyLooksOn)) {
    const routed = judged(asked.route, head, question.host, target);
    return routed.kind === 'routed' ? { ...routed, preflight: true } : routed;
  }
  if (asked.kind === 'route' && !asked.route.shadow) {
    const refusal = judgeOrigin(asked.route, head);
    if (refusal !== undefined) return refusal;
  }
  const methods = router.table.methods(question);
  if (methods === undefined) return matched(router, head, target, question);
  if (router.unrouted?.onlyLooksOn === true)
    return unrouted(router, head, question.host, refuse('method_not_allowed', { allow: [...methods] }));
  const headers = router.crossOrigin?.preflight(head, methods) ?? [];
  const reason = router.crossOrigin === undefined ? NO_CORS : router.crossOrigin.blocked(head, methods);
  return { kind: 'reply', route: undefined, status: 204, headers, body: '', reason };
}

/** Metadata of a protected resource can only be read (RFC 9728 §3). */
function mayBeMetadata({ method }: RequestHead, { path }: Target): boolean {
  return path.startsWith(RESOURCE_METADATA) && (method === 'GET' || method === 'HEAD');
}

function documentReply(body: string): Reply {
  const headers = ['content-type', 'application/json', 'cache-control', 'public, max-age=300'];
  headers.push('content-length', String(Buffer.byteLength(body)));
  return { kind: 'reply', route: undefined, status: 200, headers, body, reason: undefined };
}
