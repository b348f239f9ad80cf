import type { Logger } from 'pino';
import { type Code, codes, entry } from './codes.ts';
import type { Identity } from './identity.ts';
import type { Forward, Outcome } from './outcome.ts';
import type { RequestHead } from './request-head.ts';

/** What became of one request. Logs and metrics read this and nothing else. */
export interface Decision {
  /** `answered`: by the gateway itself, as a preflight is. */
  readonly code: Code | 'forwarded' | 'answered' | 'client_gone';
  readonly outcome: Outcome | undefined;
  readonly head: RequestHead;
  readonly requestId: string;
  readonly milliseconds: number;
  readonly detail?: string | undefined;
}

/** One record a request. */
export class Decisions {
  readonly #log: Logger;
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  record(decision: Decision): void {
    const route = decision.outcome?.route?.id ?? '';
    this.count(route, decision.code);
    const level = levels[decision.code] ?? (entryStatus(decision.code) >= 500 ? 'warn' : 'info');
    if (this.#log.isLevelEnabled(level)) this.#log[level](line(decision, route), decision.code);
  }

  /** Every (route, code) with how often it happened; an unrouted request has an empty route. */
  *counts(): Iterable<{ route: string; code: string; count: number }> {
    for (const [route, codes] of this.#counts) {
      for (const [code, count] of codes) yield { route, code, count };
    }
  }

  /** Also for a request that never became one. */
  count(route: string, code: string): void {
    const codes = this.#counts.get(route) ?? new Map<string, number>();
    this.#counts.set(route, codes);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
}

const levels: Readonly<Record<string, 'debug' | 'error'>> = {
  forwarded: 'debug',
  answered: 'debug',
  client_gone: 'debug',
  internal_error: 'error',
};

function entryStatus(code: Decision['code']): number {
  return code in codes ? entry(code as Code).status : 200;
}

/** No credential, no query: what a log may keep for years (the token of a query stands in the target). */
function line({ outcome, head, requestId, milliseconds, detail }: Decision, route: string) {
  const { target } = head;
  const mark = target.indexOf('?');
  return {
    request_id: requestId,
    method: head.method,
    host: head.host?.value,
    path: mark === -1 ? target : target.slice(0, mark),
    route: route === '' ? undefined : route,
    address: head.origin.address,
    ...facts(outcome),
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    ...(detail === undefined ? {} : { detail }),
  };
}

function facts(outcome: Outcome | undefined) {
  switch (outcome?.kind) {
    case 'forward':
      return { ...who(outcome.identity), cache: outcome.cache, ...shadowFacts(outcome.shadow) };
    case 'refuse':
      return { ...who(outcome.identity), cache: outcome.cache, reason: outcome.detail };
    case 'unavailable':
      return { dependency: outcome.outage.dependency, reason: outcome.outage.detail };
    default:
      return {};
  }
}

function who(identity: Identity | undefined) {
  return identity === undefined ? {} : { subject: identity.subject, client: identity.clientId };
}

/** What enforcing would have done; the report of shadow mode is made from these lines. */
function shadowFacts(shadow: Forward['shadow']) {
  if (shadow === undefined) return {};
  if (shadow === 'pass') return { shadow: 'pass' };
  return { shadow: shadow.code, reason: shadow.kind === 'refuse' ? shadow.detail : shadow.outage.detail };
}
