import type { UnredactedLine } from '../../base/log.ts';
import { printableMembers } from '../../base/printable.ts';
import type { Outcome, Refuse, Unavailable } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import type { Code } from '../message/codes.ts';
import { entry, type Step, stepOf } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import type { RequestHead, Via } from '../message/request-head.ts';
import { alternativeTexts, missingScopes } from '../message/scope-requirement.ts';
import { type CallFacts, callFacts } from './call-facts.ts';
import { type ShadowFacts, shadowFacts } from './shadow-facts.ts';
import { traceIdOf } from './trace-context.ts';
import { pathOf, userAgentOf } from './without-tokens.ts';

/** The result of one request. Logs, metrics, the live view and tickets read only this. */
export interface Decision {
  /** `answered`: the gateway itself answered, for example a preflight. */
  readonly code: Code | 'forwarded' | 'answered' | 'client_gone';
  readonly outcome: Outcome | undefined;
  readonly head: RequestHead;
  readonly requestId: string;
  /** The status that the client or the asking proxy got. Undefined: no answer began. */
  readonly status?: number | undefined;
  /** Bytes of the body that were read before the answer ended. Bytes discarded after a refusal do not count. */
  readonly bytesIn?: number;
  /** Bytes of the answer's body. Undefined: unknown, for example for a proxied request. */
  readonly bytesOut?: number;
  /** From the request's head to the end of the answer. */
  readonly milliseconds: number;
  readonly detail?: string | undefined;
  /** The upstream's answer began, but did not end completely. */
  readonly isCut?: boolean;
  /** Milliseconds of the gateway's own work until the request was forwarded or answered. */
  readonly gateway?: number | undefined;
  /** Milliseconds. Undefined: no server, hash or shared counter was needed. */
  readonly verification?: number | undefined;
  /** Milliseconds from forwarding to the first byte of the answer. Undefined: there was no answer. */
  readonly upstream?: number | undefined;
  /** How often the gateway sent the request. Undefined: it did not retry, and the upstream does not require Digest. */
  readonly attempts?: number | undefined;
  /** From the gateway's own span. Undefined: tracing is off. */
  readonly traceId?: string | undefined;
}

/**
 * A decision in written form. It contains no credential and no query, which may contain a token. It contains nothing
 * that controls a terminal, even if an upstream or a server sent it.
 */
export interface DecisionRecord extends UnredactedLine, ShadowFacts, CallFacts {
  readonly request_id: string;
  /** From W3C Trace Context: 32 hexadecimal digits. */
  readonly trace_id?: string;
  readonly method: string;
  readonly host: string | undefined;
  readonly path: string;
  /** The status that the client or the asking proxy got. Absent: no answer began. */
  readonly status?: number;
  readonly code: Decision['code'];
  readonly route: string | undefined;
  readonly address: string;
  /** The client's User-Agent. */
  readonly user_agent?: string;
  /** How a proxy asked. Absent: the request itself came to the gateway. */
  readonly via?: Via;
  /** The subject of the client's certificate. */
  readonly certificate?: string;
  readonly subject?: string | undefined;
  readonly client?: string | undefined;
  readonly cache?: string | undefined;
  readonly step?: Step | undefined;
  readonly dependency?: string;
  readonly reason?: string | undefined;
  /** For a rejected token: the claim that does not match, the claim's value and the expected one, as in `Mismatch`. */
  readonly claim?: string;
  readonly found?: string;
  readonly expected?: string;
  readonly difference?: string;
  readonly scope_needed?: readonly string[];
  readonly scope_held?: readonly string[];
  readonly scope_missing?: string;
  /** The result if the route enforced: `pass`, or a code. */
  readonly shadow?: Code | 'pass';
  /**
   * Bytes of bodies: those that the gateway read from the client, and those that it sent. An asking proxy keeps the
   * client's body.
   */
  readonly bytes_in?: number;
  readonly bytes_out?: number;
  readonly milliseconds: number;
  readonly verification_ms?: number | undefined;
  readonly upstream_ms?: number | undefined;
  readonly upstream_attempts?: number | undefined;
  readonly detail?: string;
}

export function describeDecision(decision: Decision): DecisionRecord {
  const { code, outcome, head, requestId, status, milliseconds, detail, verification, upstream, attempts } = decision;
  const agent = userAgentOf(head);
  return printableMembers<DecisionRecord>({
    request_id: requestId,
    ...traceFacts(decision),
    method: head.method,
    host: head.host?.value,
    path: pathOf(head),
    ...(status === undefined ? {} : { status }),
    code,
    route: outcome?.route?.id || undefined,
    address: head.origin.address,
    ...(agent === undefined ? {} : { user_agent: agent }),
    ...(head.origin.via && { via: head.origin.via }),
    ...(head.origin.certificate && { certificate: head.origin.certificate.subject }),
    ...callFacts(outcome),
    ...facts(decision),
    ...bytes(decision),
    milliseconds: rounded(milliseconds) as number,
    verification_ms: rounded(verification),
    upstream_ms: rounded(upstream),
    ...(attempts === undefined ? {} : { upstream_attempts: attempts }),
    ...(detail === undefined ? {} : { detail }),
  });
}

function traceFacts({ traceId, head }: Decision): Partial<DecisionRecord> {
  const id = traceId ?? traceIdOf(head);
  return id === undefined ? {} : { trace_id: id };
}

function bytes({ bytesIn, bytesOut, head }: Decision): Partial<DecisionRecord> {
  return {
    ...(bytesIn === undefined || head.origin.via !== undefined ? {} : { bytes_in: bytesIn }),
    ...(bytesOut === undefined ? {} : { bytes_out: bytesOut }),
  };
}

function rounded(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000;
}

function facts(decision: Decision): Partial<DecisionRecord> {
  const { code, outcome } = decision;
  switch (outcome?.kind) {
    case 'forward': {
      const { identity, cache, shadow } = outcome;
      const step = stepOf(code);
      const known = { ...who(identity), cache, ...(step === undefined ? {} : { step }) };
      if (shadow === undefined) return known;
      const noticed = shadowFacts(decision, outcome);
      if (shadow === 'pass') return { ...known, shadow, ...noticed };
      return { ...known, ...refusalFacts(shadow), shadow: shadow.code, ...noticed };
    }
    case 'refuse':
    case 'unavailable':
      return refusalFacts(outcome);
    case 'reply':
      return outcome.reason === undefined ? {} : { reason: outcome.reason };
    default:
      return {};
  }
}

function refusalFacts(outcome: Refuse | Unavailable): Partial<DecisionRecord> {
  const step = stepOf(outcome.code);
  if (outcome.kind === 'unavailable')
    return { step, dependency: outcome.outage.dependency, reason: outcome.outage.detail };
  const { cache, detail: reason, mismatch } = outcome;
  return { ...who(outcome.identity), cache, step, reason, ...mismatch, ...scopeFacts(outcome) };
}

/** The identity whose credentials are valid for this API, whatever the result of the request. */
export function recordedIdentity(outcome: Outcome | undefined): Identity | undefined {
  if (outcome === undefined || !('identity' in outcome)) return undefined;
  if (outcome.kind === 'refuse' && entry(outcome.code).status === 401) return undefined;
  if (outcome.identity !== undefined || outcome.kind !== 'forward') return outcome.identity;
  return outcome.shadow === 'pass' ? undefined : recordedIdentity(outcome.shadow);
}

function who(identity: Identity | undefined) {
  return identity === undefined ? {} : { subject: identity.subject, client: identity.clientId };
}

/**
 * If scope is missing: the route's alternatives, the token's scopes, and the scopes to add for the nearest alternative.
 */
function scopeFacts({ code, route, identity }: Refuse): Partial<DecisionRecord> {
  const needed = route?.requirements.scope;
  const missing = missingScope(code, route, identity);
  if (needed === undefined || missing === undefined) return {};
  return {
    scope_needed: alternativeTexts(needed),
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
  return missingScopes(needed, identity.scopes).join(' ');
}
