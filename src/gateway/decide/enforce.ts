import type { Refused } from '../../base/verdict.ts';
import type { MaybeShared } from '../../counters/counters.ts';
import { type Code, entry } from '../message/codes.ts';
import type { CacheState, SchemeVerification, Verified } from '../message/identity.ts';
import type { Target } from '../message/target.ts';
import { captures } from '../routing/captures.ts';
import { partsOf } from '../routing/path-parts.ts';
import { admitCall } from './admit-call.ts';
import { challengesFor } from './challenges.ts';
import { type Extracted, extract, whyMissing } from './credentials.ts';
import { type Outcome, type Refuse, refuse } from './outcome.ts';
import { permit, refuseAudience } from './permit.ts';
import type { Route } from './route.ts';
import type { Routed } from './routed.ts';
import type { RuleContext } from './when.ts';

const NO_SCOPES: ReadonlySet<string> = new Set();
/** One shared object, so that results made from it are made once. */
const NO_LINES: readonly string[] = [];

/** Judges a request: extract → throttle (address) → verify → throttle (identity) → permit → forward, or refuse. */
export function enforce(routed: Routed, entity?: Buffer): Outcome | Promise<Outcome> {
  const { route, head, target, preflight, wanted } = routed;
  if (preflight) return forward(routed, untouched(target), undefined, entity);
  const isPublic = route.access === 'public';
  const form = wanted?.kind === 'form' ? entity : undefined;
  const extracted = isPublic
    ? untouched(target)
    : extract(head, target.query, route.bearerMethods, form, route.schemes);
  if (extracted.kind === 'refused') return refuseCredential(routed, extracted, undefined);
  const isAnonymous = extracted.kind === 'none';
  if (isAnonymous && !isPublic && route.access !== 'optional') {
    const detail = whyMissing(head, target.query, route.bearerMethods, route.schemes);
    return { ...refuseWithChallenge(routed, 'credential_missing', NO_SCOPES), detail };
  }
  const { rateLimit } = route;
  if (rateLimit === undefined || !(rateLimit.byAddress || isAnonymous)) return admit(routed, extracted, entity);
  return throttle(route, rateLimit.address(head.origin.address), undefined, () => admit(routed, extracted, entity));
}

function admit(routed: Routed, extracted: Extracted, entity: Buffer | undefined): Outcome | Promise<Outcome> {
  if (extracted.kind === 'none') return forward(routed, extracted, undefined, entity);
  const verification = verify(routed, extracted, entity);
  if (verification instanceof Promise) return verification.then((v) => judge(routed, extracted, v, entity));
  return judge(routed, extracted, verification, entity);
}

function verify(
  { route, head }: Routed,
  { scheme, token }: Extracted,
  entity: Buffer | undefined,
): SchemeVerification | Promise<SchemeVerification> {
  const own = scheme === 'bearer' ? undefined : route.schemes.find(({ name }) => name === scheme);
  return own === undefined ? route.verify(token) : own.verify({ value: token, head, entity });
}

function judge(
  routed: Routed,
  extracted: Extracted,
  verification: SchemeVerification,
  entity: Buffer | undefined,
): Outcome | Promise<Outcome> {
  const { route } = routed;
  if (verification.kind === 'outage') {
    const code = outages[verification.dependency] ?? 'authorization_server_unavailable';
    return { kind: 'unavailable', code, route, outage: verification };
  }
  if (verification.kind === 'throttled')
    return refuse('login_throttled', { route, retryAfter: verification.retryAfter });
  if (verification.kind === 'refused') return refuseCredential(routed, verification, undefined);
  const { rateLimit } = route;
  if (rateLimit === undefined || rateLimit.byAddress) return allow(routed, extracted, verification, entity);
  // A token for another API must not count against its user's limit at this API.
  const foreign = refuseAudience(route.requirements, verification.identity);
  if (foreign !== undefined) return refuseVerified(routed, foreign, verification);
  const wait = rateLimit.identity(verification.identity);
  return throttle(route, wait, verification, () => allow(routed, extracted, verification, entity));
}

/**
 * Codes for outages of anything except an authorization server. An outage of an authorization server has a name that
 * begins with `authorization_servers.`.
 */
const outages: Readonly<Record<string, Code>> = {
  passwords: 'passwords_saturated',
  counters: 'counters_unavailable',
  users: 'users_unavailable',
};

function throttle(
  route: Route,
  wait: MaybeShared<number>,
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

function allow(routed: Routed, extracted: Extracted, verified: Verified, entity: Buffer | undefined): Outcome {
  const { route, callRefusal } = routed;
  // No rule is known for a message that is refused, so no scope can be missing.
  const refusal =
    callRefusal === undefined
      ? permit(route.requirements, verified.identity, () => ruleContexts(routed))
      : refuseAudience(route.requirements, verified.identity);
  if (refusal !== undefined) return refuseVerified(routed, refusal, verified);
  return forward(routed, extracted, verified, entity);
}

function refuseVerified(routed: Routed, refusal: Refused<Code>, { identity, cache }: Verified): Refuse {
  return { ...refuseCredential(routed, refusal, cache, identity.scopes), identity };
}

/** A rule sees the path in each form that a decoding server could read. */
function ruleContexts({ head, host, target, route }: Routed): readonly RuleContext[] {
  return partsOf(target).map((parts) => ({
    head,
    host,
    path: `/${parts.join('/')}`,
    query: target.query,
    captured: captures(route, host, parts),
  }));
}

function forward(
  routed: Routed,
  extracted: Pick<Extracted, 'query' | 'form' | 'place' | 'scheme'>,
  verified: Verified | undefined,
  entity: Buffer | undefined,
): Outcome {
  const { route, target, head } = routed;
  const { identity, cache, answerFields = [] } = verified ?? {};
  const headers = identity === undefined ? NO_LINES : route.identityHeaders.write(identity);
  if (headers === undefined) return refuse('identity_unrepresentable', { route, cache });
  const path = route.rewrite === undefined ? target.path : route.rewrite(target.path);
  if (typeof path !== 'string') return refuse(path.code, { route, cache, detail: path.detail, cause: path.cause });
  const mcp = route.mcp === undefined ? undefined : admitCall(routed, route.mcp, identity);
  if (mcp?.kind === 'refuse') return { ...mcp, cache };
  const keep = route.forwardCredential;
  const query = keep ? target.query : extracted.query;
  const body = keep ? entity : (extracted.form ?? entity);
  return {
    kind: 'forward',
    route,
    target: query === '' ? path : path + query,
    identity,
    identityHeaders: headers,
    cache,
    body: body ?? 'stream',
    bodyChanged: body !== entity && head.hasBody,
    answerFields,
    privateResponse: extracted.place === 'query' || isBesideAuthorization(route, extracted.scheme),
    shadow: undefined,
    asCame: false,
    mcp,
  };
}

/**
 * Shared caches do not store an answer to a request with Authorization (RFC 9111 §3.5), but they ignore other
 * credentials.
 */
function isBesideAuthorization({ schemes }: Route, scheme: string): boolean {
  return schemes.some(({ name, places }) => name === scheme && places !== undefined);
}

/** RFC 6750 does not apply to a public route. A value that looks like a token concerns only the upstream. */
function untouched(target: Target): Extracted {
  return { kind: 'none', scheme: 'bearer', token: '', place: undefined, query: target.query, form: undefined };
}

function refuseCredential(
  routed: Routed,
  { code, detail, mismatch, cause }: Refused<Code>,
  cache: CacheState | undefined,
  held: ReadonlySet<string> = NO_SCOPES,
): Refuse {
  return { ...refuseWithChallenge(routed, code, held), cache, detail, mismatch, cause };
}

/**
 * A failed condition has no remedy, so the answer has no challenge. If the connection is too insecure for a challenge,
 * the code says so.
 */
function refuseWithChallenge({ route, head }: Routed, code: Code, held: ReadonlySet<string>): Refuse {
  if (code === 'condition_failed') return refuse(code, { route });
  const challenges = challengesFor(route, head, code, held);
  const isMute = entry(code).status === 401 && challenges.length === 0;
  return refuse(isMute ? 'transport_insecure' : code, { route, challenges });
}
