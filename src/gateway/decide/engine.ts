import { type Outcome, type Refuse, type Reply, refuse } from '../outcome.ts';
import { hasBody, type RequestHead } from '../request-head.ts';
import { valuesOf } from '../routing/match-conditions.ts';
import type { Route } from '../routing/route.ts';
import type { Routed } from '../routing/routed.ts';
import { type Question, RouteTable } from '../routing/routes.ts';
import { judgeTarget, type Target } from '../routing/target.ts';
import { unmetDetail } from '../routing/unmet-conditions.ts';
import { hostNames } from './authority.ts';
import { wantsForm } from './credentials.ts';
import { type CrossOrigin, isPreflight } from './cross-origin.ts';
import { enforce } from './enforce.ts';
import { findFrameFault } from './framing.ts';
import type { ProtectedResources } from './protected-resources.ts';
import { forwardInShadow } from './shadow.ts';

/**
 * The decision engine: RequestHead in, Outcome out. It knows no framework and no socket, so the proxy and every command
 * that explains or tests a decision call this one.
 */
export interface Engine {
  route(head: RequestHead): Routed | Refuse | Reply;
  /** The body that must be read before deciding, and its limit in bytes. */
  needs(routed: Routed): WantedEntity | undefined;
  /** With a cached credential the answer comes without a promise. */
  decide(routed: Routed, entity?: Buffer): Outcome | Promise<Outcome>;
}

/** A body that is read whole before a decision. */
export interface WantedEntity {
  /** Bytes. */
  readonly limit: number;
  /** What a longer one is refused with. */
  readonly tooLarge: 'form_too_large' | 'integrity_too_large';
}

export interface EngineParts {
  readonly routes: readonly Route[];
  /** In shadow mode for the whole file: where requests go that have no route. */
  readonly unrouted: Route | undefined;
  readonly resources: ProtectedResources;
  readonly crossOrigin: CrossOrigin | undefined;
}

export function buildEngine(parts: EngineParts): Engine {
  const router: Router = { ...parts, table: new RouteTable(parts.routes), hostName: hostNames() };
  return {
    route: (head) => route(router, head),
    needs: ({ head, route, preflight }) => {
      const wanted = preflight ? undefined : wantedEntity(route, head);
      return wanted !== undefined && readable(route, head, wanted.limit) ? wanted : undefined;
    },
    decide: (routed, entity) => (routed.route.shadow ? forwardInShadow(routed, entity) : enforce(routed, entity)),
  };
}

/** CONNECT asks for a tunnel; TRACE would show the client what the gateway adds to a request (RFC 9110 §9.3.8). */
const REFUSED: ReadonlySet<string> = new Set(['CONNECT', 'TRACE']);

const NO_CONTENT: Reply = { kind: 'reply', route: undefined, status: 204, headers: [], body: '' };

interface Router extends EngineParts {
  readonly table: RouteTable<Route>;
  readonly hostName: (authority: string) => string | undefined;
}

/** In shadow mode a form must be given on whole, so only one that says how long it is, and is not too long, is read. */
function readable({ shadow }: Route, { contentLength }: RequestHead, limit: number): boolean {
  return !shadow || (contentLength !== undefined && Number(contentLength.value) <= limit);
}

/** A form for its access_token (RFC 6750 §2.2), or any body whose hash is in the credentials (RFC 7616 §3.4.3). */
function wantedEntity(route: Route, head: RequestHead): WantedEntity | undefined {
  if (route.access === 'public' || !hasBody(head)) return undefined;
  if (wantsForm(head, route.bearerMethods)) return { limit: route.limits.form, tooLarge: 'form_too_large' };
  for (const scheme of route.schemes) {
    const limit = scheme.wantsEntity(head);
    if (limit !== undefined) return { limit, tooLarge: 'integrity_too_large' };
  }
  return undefined;
}

function route(router: Router, head: RequestHead): Routed | Refuse | Reply {
  const framing = findFrameFault(head);
  if (framing !== undefined) return refuse(framing);
  const host = head.host?.lines === 1 ? router.hostName(head.host.value) : undefined;
  if (host === undefined) return refuse('host_invalid');
  if (REFUSED.has(head.method)) return refuse('method_not_allowed', { allow: [] });
  if (head.method === 'OPTIONS' && valuesOf(head, 'max-forwards').includes('0')) return NO_CONTENT;
  const target = judgeTarget(head.method, head.target);
  if (target.kind === 'refused') return unrouted(router, head, host, refuse(target.code));
  if (target.authority !== undefined && !sameAuthority(target.authority, head)) return refuse('target_other_host');
  // `*` is about the server (RFC 9110 §9.3.7), so no path pattern is about it.
  if (target.path === '*') return refuse('route_not_found');
  const document = router.resources.find(host, target.path);
  if (document !== undefined && isRead(head)) return documentReply(document);
  const question = { host, key: target.key, method: head.method, head, query: target.query };
  return isPreflight(head) ? preflight(router, head, target, question) : matched(router, head, target, question);
}

function matched(router: Router, head: RequestHead, target: Target, question: Question): Routed | Refuse {
  const { host } = question;
  const match = router.table.match(question);
  switch (match.kind) {
    case 'route':
      return judged(match.route, head, host, target);
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

/** What only the route can say about a target and the length of a body. */
function judged(route: Route, head: RequestHead, host: string, target: Target): Routed | Refuse {
  const refusal = judgePath(route, target) ?? judgeLength(route, head);
  if (refusal !== undefined && !route.shadow) return refusal;
  return { kind: 'routed', head, host, target, route, wouldRefuse: refusal, preflight: false };
}

function judgePath(route: Route, target: Target): Refuse | undefined {
  if (target.encodedSlash && !route.keepEncodedSlashes) return refuse('target_encoded_slash', { route });
  if (target.parameter && !route.keepParameters) return refuse('target_path_parameter', { route });
  return undefined;
}

function judgeLength(route: Route, head: RequestHead): Refuse | undefined {
  if (head.contentLength === undefined) return undefined;
  const length = Number(head.contentLength.value);
  if (length > route.limits.body) return refuse('body_too_large', { route });
  const wanted = wantedEntity(route, head);
  return wanted !== undefined && length > wanted.limit ? refuse(wanted.tooLarge, { route }) : undefined;
}

/** Where the whole file is in shadow mode, a request without a route goes to the default upstream as it came. */
function unrouted({ unrouted: route }: Router, head: RequestHead, host: string, refusal: Refuse): Routed | Refuse {
  if (route === undefined) return refusal;
  return { kind: 'routed', head, host, target: asReceived(head), route, wouldRefuse: refusal, preflight: false };
}

function asReceived({ target }: RequestHead): Target {
  return {
    kind: 'target',
    path: target,
    key: target,
    query: '',
    encodedSlash: false,
    parameter: false,
    authority: undefined,
  };
}

/** RFC 9112 §3.2.2: an absolute-form target and Host say the same, or one of them lies. */
function sameAuthority(authority: string, head: RequestHead): boolean {
  return authority.toLowerCase() === head.host?.value.toLowerCase();
}

/** Answered here, from the routes of the path, unless the route of the method asked for leaves it to the upstream. */
function preflight(router: Router, head: RequestHead, target: Target, question: Question): Routed | Refuse | Reply {
  const asked = router.table.match({ ...question, method: head.requestedMethod?.value ?? '' });
  if (asked.kind === 'route' && asked.route.corsUpstream) {
    const routed = judged(asked.route, head, question.host, target);
    return routed.kind === 'routed' ? { ...routed, preflight: true } : routed;
  }
  const methods = router.table.methods(question);
  if (methods === undefined) return matched(router, head, target, question);
  const headers = router.crossOrigin?.preflight(head, methods) ?? [];
  return { kind: 'reply', route: undefined, status: 204, headers, body: '' };
}

function isRead({ method }: RequestHead): boolean {
  return method === 'GET' || method === 'HEAD';
}

function documentReply(body: string): Reply {
  const headers = ['content-type', 'application/json', 'cache-control', 'public, max-age=300'];
  headers.push('content-length', String(Buffer.byteLength(body)));
  return { kind: 'reply', route: undefined, status: 200, headers, body };
}
