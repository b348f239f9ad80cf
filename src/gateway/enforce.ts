import type { Refused } from '../base/verdict.ts';
import { bearerChallenge } from '../http-auth/bearer.ts';
import type { Counted } from '../storage/counters.ts';
import { captures } from './captures.ts';
import { type Code, entry } from './codes.ts';
import { type Extracted, extract, unreadPlace } from './credentials.ts';
import type { CacheState, Identity, Verification, Verified } from './identity.ts';
import { type Outcome, type Refuse, refuse } from './outcome.ts';
import { permit } from './permit.ts';
import { hasBody } from './request-head.ts';
import type { Route } from './route.ts';
import type { Routed } from './routed.ts';
import { nearest } from './scope-requirement.ts';
import type { Target } from './target.ts';

const NOBODY: ReadonlySet<string> = new Set();

/** extract → throttle (address) → verify → throttle (identity) → permit → forward, or refuse. */
export function enforce(routed: Routed, form?: Buffer): Outcome | Promise<Outcome> {
  const { route, head, target, preflight } = routed;
  if (preflight) return forward(routed, untouched(target), undefined, undefined, form);
  const isPublic = route.access === 'public';
  const extracted = isPublic ? untouched(target) : extract(head, target.query, route.bearerMethods, form);
  if (extracted.kind === 'refused') return refuseCredential(route, extracted, undefined);
  const isAnonymous = extracted.kind === 'none';
  if (isAnonymous && !isPublic && route.access !== 'optional') {
    const detail = unreadPlace(head, target.query, route.bearerMethods);
    return { ...refuseWithChallenge(route, 'credential_missing', NOBODY), detail };
  }
  const { rateLimit } = route;
  if (rateLimit === undefined || !(rateLimit.byAddress || isAnonymous)) return admit(routed, extracted, form);
  return throttle(route, rateLimit.address(head.origin.address), undefined, () => admit(routed, extracted, form));
}

function admit(routed: Routed, extracted: Extracted, form: Buffer | undefined): Outcome | Promise<Outcome> {
  if (extracted.kind === 'none') return forward(routed, extracted, undefined, undefined, form);
  const verification = routed.route.verify(extracted.token);
  if (verification instanceof Promise) return verification.then((v) => judge(routed, extracted, v, form));
  return judge(routed, extracted, verification, form);
}

function judge(
  routed: Routed,
  extracted: Extracted,
  verification: Verification,
  form: Buffer | undefined,
): Outcome | Promise<Outcome> {
  const { route } = routed;
  if (verification.kind === 'outage') {
    return { kind: 'unavailable', code: 'authorization_server_unavailable', route, outage: verification };
  }
  if (verification.kind === 'refused') return refuseCredential(route, verification, undefined);
  const { rateLimit } = route;
  if (rateLimit === undefined || rateLimit.byAddress) return allow(routed, extracted, verification, form);
  const wait = rateLimit.identity(verification.identity);
  return throttle(route, wait, verification, () => allow(routed, extracted, verification, form));
}

function throttle(
  route: Route,
  wait: Counted<number>,
  verified: Verified | undefined,
  goOn: () => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  if (wait instanceof Promise) return wait.then((told) => throttle(route, told, verified, goOn));
  if (wait === 0) return goOn();
  const { cache, identity } = verified ?? {};
  return refuse('rate_limited', {
    route,
    retryAfter: Math.ceil(wait / 1000),
    cache,
    identity,
    detail: route.rateLimit?.text,
  });
}

function allow(routed: Routed, extracted: Extracted, verified: Verified, form: Buffer | undefined): Outcome {
  const { route } = routed;
  const { identity, cache } = verified;
  const refusal = permit(route.requirements, identity, () => ruleContext(routed));
  if (refusal !== undefined) return { ...refuseCredential(route, refusal, cache, identity.scopes), identity };
  return forward(routed, extracted, identity, cache, form);
}

function ruleContext({ head, host, target, route }: Routed) {
  const { path, query } = target;
  return { head, host, path, query, captured: captures(route, host, path) };
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
  const path = route.rewrite === undefined ? target.path : route.rewrite(target.path);
  if (typeof path !== 'string') return refuse(path.code, { route, cache, detail: path.detail });
  const keep = route.forwardCredential;
  const query = keep ? target.query : extracted.query;
  const body = keep ? form : (extracted.form ?? form);
  return {
    kind: 'forward',
    route,
    target: query === '' ? path : path + query,
    identity,
    identityHeaders: headers,
    cache,
    body: body ?? 'stream',
    bodyChanged: body !== form && hasBody(head),
    privateResponse: extracted.place === 'query',
    shadow: undefined,
  };
}

/** RFC 6750 applies to no part of a request to a public route: what looks like a token is the upstream's own business. */
function untouched(target: Target): Extracted {
  return { kind: 'none', token: '', place: undefined, query: target.query, form: undefined };
}

function refuseCredential(
  route: Route,
  { code, detail }: Refused<Code>,
  cache: CacheState | undefined,
  held: ReadonlySet<string> = NOBODY,
): Refuse {
  return { ...refuseWithChallenge(route, code, held), cache, detail };
}

/** RFC 6750 §3: without credentials only what is needed; with wrong ones also why. A failed condition has no remedy. */
function refuseWithChallenge(route: Route, code: Code, held: ReadonlySet<string>): Refuse {
  const { error, text } = entry(code);
  if (code === 'condition_failed') return refuse(code, { route });
  const needed = route.requirements.scope;
  const challenge = bearerChallenge({
    realm: route.realm,
    scope: needed !== undefined && namesScope(code) ? nearest(needed, held).join(' ') : undefined,
    resourceMetadata: route.metadataUrl,
    error,
    errorDescription: error === undefined ? undefined : text,
  });
  return refuse(code, { route, challenges: [challenge] });
}

function namesScope(code: Code): boolean {
  return code === 'credential_missing' || code === 'scope_insufficient';
}
