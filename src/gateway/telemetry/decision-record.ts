import type { Code } from '../codes.ts';
import { nearest } from '../decide/scope-requirement.ts';
import type { Identity } from '../identity.ts';
import type { Outcome, Refuse, Unavailable } from '../outcome.ts';
import type { RequestHead, Via } from '../request-head.ts';
import type { Route } from '../routing/route.ts';
import { type Step, stepOf } from '../step.ts';
import { traceIdOf } from './trace-context.ts';

/** What became of one request. Logs, metrics, the live view and tickets read this and nothing else. */
export interface Decision {
  /** `answered`: by the gateway itself, as a preflight is. */
  readonly code: Code | 'forwarded' | 'answered' | 'client_gone';
  readonly outcome: Outcome | undefined;
  readonly head: RequestHead;
  readonly requestId: string;
  /** From the head of the request to the end of the answer. */
  readonly milliseconds: number;
  readonly detail?: string | undefined;
  /** The upstream's answer had begun, and did not come to its end. */
  readonly isCut?: boolean;
  /** Milliseconds of our own work until the request was forwarded or answered. */
  readonly gateway?: number | undefined;
  /** Milliseconds; undefined: nobody had to be asked, and nothing to be computed, for the credential or a shared count. */
  readonly verification?: number | undefined;
  /** Milliseconds from forwarding to the first byte of the answer; undefined: there was none. */
  readonly upstream?: number | undefined;
  /** How often the request was sent to an upstream that may ask for it again. */
  readonly attempts?: number | undefined;
  /** Of our own span; undefined: we make none. */
  readonly traceId?: string | undefined;
}

/** A decision as it is written down. No credential, no query: the token of a query stands in the target. */
export interface DecisionRecord {
  readonly request_id: string;
  /** Of W3C Trace Context: 32 hexadecimal digits. */
  readonly trace_id?: string;
  readonly method: string;
  readonly host: string | undefined;
  readonly path: string;
  readonly code: Decision['code'];
  readonly route: string | undefined;
  readonly address: string;
  /** By which way a proxy asked; absent: the request itself came here. */
  readonly via?: Via;
  readonly subject?: string | undefined;
  readonly client?: string | undefined;
  readonly cache?: string | undefined;
  readonly step?: Step | undefined;
  readonly dependency?: string;
  readonly reason?: string | undefined;
  readonly scope_needed?: readonly string[];
  readonly scope_held?: readonly string[];
  readonly scope_missing?: string;
  /** What enforcing would have done: `pass`, or a code. */
  readonly shadow?: Code | 'pass';
  readonly milliseconds: number;
  readonly verification_ms?: number | undefined;
  readonly upstream_ms?: number | undefined;
  readonly upstream_attempts?: number | undefined;
  readonly detail?: string;
}

export function describeDecision(decision: Decision): DecisionRecord {
  const { code, outcome, head, requestId, milliseconds, detail, verification, upstream, attempts } = decision;
  return {
    request_id: requestId,
    ...traceFacts(decision),
    method: head.method,
    host: head.host?.value,
    path: pathOf(head),
    code,
    route: outcome?.route?.id || undefined,
    address: head.origin.address,
    ...(head.origin.via && { via: head.origin.via }),
    ...facts(decision),
    milliseconds: rounded(milliseconds) as number,
    verification_ms: rounded(verification),
    upstream_ms: rounded(upstream),
    ...(attempts === undefined ? {} : { upstream_attempts: attempts }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/**
 * What of a target may be written down: a query, and whatever a client wrote in place of one, can hold a token; an
 * authority can hold a password.
 */
export function pathOf({ target }: Pick<RequestHead, 'target'>): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]|%3f|%23|access_token/i);
  return end === -1 ? path : path.slice(0, end);
}

function traceFacts({ traceId, head }: Decision): Partial<DecisionRecord> {
  const id = traceId ?? traceIdOf(head);
  return id === undefined ? {} : { trace_id: id };
}

function rounded(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000;
}

function facts({ code, outcome }: Decision): Partial<DecisionRecord> {
  switch (outcome?.kind) {
    case 'forward': {
      const { identity, cache, shadow } = outcome;
      const step = stepOf(code);
      const known = { ...who(identity), cache, ...(step === undefined ? {} : { step }) };
      if (shadow === undefined || shadow === 'pass') return { ...known, ...(shadow && { shadow }) };
      return { ...known, ...refusalFacts(shadow), shadow: shadow.code };
    }
    case 'refuse':
    case 'unavailable':
      return refusalFacts(outcome);
    default:
      return {};
  }
}

function refusalFacts(outcome: Refuse | Unavailable): Partial<DecisionRecord> {
  const step = stepOf(outcome.code);
  if (outcome.kind === 'unavailable')
    return { step, dependency: outcome.outage.dependency, reason: outcome.outage.detail };
  return { ...who(outcome.identity), cache: outcome.cache, step, reason: outcome.detail, ...scopeFacts(outcome) };
}

function who(identity: Identity | undefined) {
  return identity === undefined ? {} : { subject: identity.subject, client: identity.clientId };
}

/** Where scope was lacking: the alternatives that the route takes, what was there, and what to add for the nearest. */
function scopeFacts({ code, route, identity }: Refuse): Partial<DecisionRecord> {
  const needed = route?.requirements.scope;
  const missing = missingScope(code, route, identity);
  if (needed === undefined || missing === undefined) return {};
  return {
    scope_needed: needed.map((alternative) => alternative.join(' ')),
    scope_held: [...(identity?.scopes ?? [])],
    scope_missing: missing,
  };
}

export function missingScope(
  code: Decision['code'],
  route: Route | undefined,
  identity: Identity | undefined,
): string | undefined {
  const needed = route?.requirements.scope;
  if (code !== 'scope_insufficient' || needed === undefined || identity === undefined) return undefined;
  return nearest(needed, identity.scopes)
    .filter((scope) => !identity.scopes.has(scope))
    .join(' ');
}
