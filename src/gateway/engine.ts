import type { Refused } from '../base/verdict.ts';
import { bearerChallenge } from '../http-auth/bearer.ts';
import { hostNames } from './authority.ts';
import { type Code, entry } from './codes.ts';
import { type Extracted, extract, wantsForm } from './credentials.ts';
import type { CacheState, Identity, Verification } from './identity.ts';
import { type Outcome, type Refuse, refuse } from './outcome.ts';
import { permit } from './permit.ts';
import { hasBody, type RequestHead } from './request-head.ts';
import type { Route } from './route.ts';
import { RouteTable } from './routes.ts';
import { nearest } from './scope-requirement.ts';
import { judgeTarget, type Target } from './target.ts';

/** A request that has a route. */
export interface Routed {
  readonly kind: 'routed';
  readonly head: RequestHead;
  readonly target: Target;
  readonly route: Route;
}

/**
 * The decision engine: RequestHead in, Outcome out. It knows no framework and no socket, so the proxy and every command
 * that explains or tests a decision call this one.
 */
export interface Engine {
  route(head: RequestHead): Routed | Refuse;
  /** The body that must be read before deciding, and its limit in bytes. */
  needs(routed: Routed): { readonly limit: number } | undefined;
  /** With a cached credential the answer comes without a promise. */
  decide(routed: Routed, form?: Buffer): Outcome | Promise<Outcome>;
}

const NOBODY: ReadonlySet<string> = new Set();

export function buildEngine(routes: readonly Route[]): Engine {
  const table = new RouteTable(routes);
  const host = hostNames();
  return {
    route: (head) => route(table, host, head),
    needs({ head, route }) {
      return route.access !== 'public' && wantsForm(head, route.bearerMethods) ? { limit: route.formLimit } : undefined;
    },
    decide,
  };
}

function route(
  table: RouteTable<Route>,
  hostName: (authority: string) => string | undefined,
  head: RequestHead,
): Routed | Refuse {
  const framing = frameFault(head);
  if (framing !== undefined) return refuse(framing);
  const name = head.host?.lines === 1 ? hostName(head.host.value) : undefined;
  if (name === undefined) return refuse('host_invalid');
  if (head.method === 'CONNECT') return refuse('method_not_allowed', { allow: [] });
  const target = judgeTarget(head.method, head.target);
  if (target.kind === 'refused') return refuse(target.code);
  if (target.authority !== undefined && !sameAuthority(target.authority, head)) return refuse('target_other_host');
  // `*` is about the server (RFC 9110 §9.3.7), so no path pattern is about it.
  if (target.path === '*') return refuse('route_not_found');
  const match = table.match(name, target.key, head.method);
  if (match.kind === 'not_found') return refuse('route_not_found');
  if (match.kind === 'method_not_allowed') return refuse('method_not_allowed', { allow: match.allow });
  return judgePath(match.route, target) ?? { kind: 'routed', head, target, route: match.route };
}

/** RFC 9112 §6.1, §6.3: what the parser lets pass and an upstream could read in another way. */
function frameFault(head: RequestHead): Code | undefined {
  const { transferEncoding, contentLength } = head;
  if (transferEncoding === undefined && contentLength === undefined) return undefined;
  if (transferEncoding === undefined) return contentLength?.lines === 1 ? undefined : 'message_malformed';
  if (contentLength !== undefined || head.version === '1.0') return 'message_malformed';
  const chunked = transferEncoding.lines === 1 && transferEncoding.value.toLowerCase() === 'chunked';
  return chunked ? undefined : 'transfer_encoding_invalid';
}

/** RFC 9112 §3.2.2: an absolute-form target and Host say the same, or one of them lies. */
function sameAuthority(authority: string, head: RequestHead): boolean {
  return authority.toLowerCase() === head.host?.value.toLowerCase();
}

function judgePath(route: Route, target: Target): Refuse | undefined {
  if (target.encodedSlash && !route.keepEncodedSlashes) return refuse('target_encoded_slash', { route });
  if (target.parameter && !route.keepParameters) return refuse('target_path_parameter', { route });
  return undefined;
}

function decide(routed: Routed, form?: Buffer): Outcome | Promise<Outcome> {
  const { route, head, target } = routed;
  if (route.access === 'public') return forward(routed, untouched(target), undefined, undefined, undefined);
  const extracted = extract(head, target.query, route.bearerMethods, form);
  if (extracted.kind === 'refused') return refuseCredential(route, extracted, undefined);
  if (extracted.kind === 'none') {
    if (route.access === 'optional') return forward(routed, extracted, undefined, undefined, form);
    return refuseWithChallenge(route, 'credential_missing', NOBODY);
  }
  const verification = route.verify(extracted.token);
  if (verification instanceof Promise) return verification.then((v) => judge(routed, extracted, v, form));
  return judge(routed, extracted, verification, form);
}

function judge(routed: Routed, extracted: Extracted, verification: Verification, form: Buffer | undefined): Outcome {
  const { route } = routed;
  if (verification.kind === 'outage') {
    return { kind: 'unavailable', code: 'authorization_server_unavailable', route, outage: verification };
  }
  if (verification.kind === 'refused') return refuseCredential(route, verification, undefined);
  const { identity, cache } = verification;
  const refusal = permit(route.requirements, identity);
  if (refusal !== undefined) return refuseCredential(route, refusal, cache, identity.scopes);
  return forward(routed, extracted, identity, cache, form);
}

function forward(
  { route, target, head }: Routed,
  extracted: Pick<Extracted, 'query' | 'form' | 'place'>,
  identity: Identity | undefined,
  cache: CacheState | undefined,
  form: Buffer | undefined,
): Outcome {
  const headers = identity === undefined ? [] : route.identityHeaders.write(identity);
  if (headers === undefined) return refuse('identity_unrepresentable', { route, cache });
  const keep = route.forwardCredential;
  const query = keep ? target.query : extracted.query;
  const body = keep ? form : (extracted.form ?? form);
  return {
    kind: 'forward',
    route,
    target: query === '' ? target.path : target.path + query,
    identity,
    identityHeaders: headers,
    cache,
    body: body ?? 'stream',
    bodyChanged: body !== form && hasBody(head),
    privateResponse: extracted.place === 'query',
  };
}

/** RFC 6750 applies to no part of a request to a public route: what looks like a token is the upstream's own business. */
function untouched(target: Target): Pick<Extracted, 'query' | 'form' | 'place'> {
  return { query: target.query, form: undefined, place: undefined };
}

function refuseCredential(
  route: Route,
  { code, detail }: Refused<Code>,
  cache: CacheState | undefined,
  held: ReadonlySet<string> = NOBODY,
): Refuse {
  return { ...refuseWithChallenge(route, code, held), cache, detail };
}

/** RFC 6750 §3: without credentials only what is needed; with wrong ones also why. */
function refuseWithChallenge(route: Route, code: Code, held: ReadonlySet<string>): Refuse {
  const { error, text } = entry(code);
  const needed = route.requirements.scope;
  const challenge = bearerChallenge({
    realm: route.realm,
    scope: needed !== undefined && namesScope(code) ? nearest(needed, held).join(' ') : undefined,
    error,
    errorDescription: error === undefined ? undefined : text,
  });
  return refuse(code, { route, challenges: [challenge] });
}

function namesScope(code: Code): boolean {
  return code === 'credential_missing' || code === 'scope_insufficient';
}
