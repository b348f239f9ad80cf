import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { withoutRedaction } from '../../base/log.ts';
import type { Forward, Outcome } from '../decide/outcome.ts';
import { type Code, entry, isCode } from '../message/codes.ts';
import type { RequestHead } from '../message/request-head.ts';
import { type CountedAnswer, Histogram, type RouteTally, tallies } from '../message/tally.ts';
import type { AccessLog } from './access-log.ts';
import { callOf } from './call-facts.ts';
import { CallTally } from './call-tally.ts';
import { type Decision, describeDecision } from './decision-record.ts';
import { isNoticed } from './shadow-facts.ts';

export type { Decision } from './decision-record.ts';

/** Gets each decision as JSON. */
export type Watcher = (record: string) => void;

/** Gets each decision itself, and must return at once. */
export type Observer = (decision: Decision) => void;

/** Records each request once: for metrics, for the log, and for live viewers. It skips records that nothing reads. */
export class Decisions {
  readonly #log: Logger;
  /** Writes decisions, whose members are all known. */
  readonly #lines: Logger;
  readonly #clock: Clock;
  readonly #access: AccessLog | undefined;
  readonly #newTally = tallies();
  /** By route. Requests without a route have an empty route. */
  readonly #tallies = new Map<string, RouteTally>();
  readonly #unrouted: RouteTally;
  readonly #watchers = new Set<Watcher>();
  readonly #observers = new Set<Observer>();
  /**
   * Two durations: the gateway's own work on a request, and the verification of credentials that were not in the cache.
   */
  readonly gateway = new Histogram();
  readonly verification = new Histogram();
  /** Messages of `mcp` routes. */
  readonly calls = new CallTally();

  #otherHosts = 0;

  constructor(log: Logger, clock: Clock, access?: AccessLog) {
    this.#access = access;
    this.#log = log;
    this.#lines = withoutRedaction(log);
    this.#clock = clock;
    this.#unrouted = this.tally('');
  }

  record(decision: Decision): void {
    const { code, outcome, head, status, milliseconds, upstream } = decision;
    const tally = outcome?.route?.tally ?? this.#unrouted;
    const reason = decision.isCut === true ? 'cut short' : reasonOf(outcome);
    tally.add({ code, reason, status, method: head.method, milliseconds, upstream });
    if (outcome?.route?.mcp !== undefined) this.#countCall(outcome, outcome.route.id, code);
    if (decision.gateway !== undefined) this.gateway.add(decision.gateway);
    if (decision.verification !== undefined) this.verification.add(decision.verification);
    const level = levelOf(decision);
    if (this.#lines.isLevelEnabled(level)) this.#lines[level](describeDecision(decision), decision.code);
    if (this.#watchers.size > 0) this.#show(decision);
    if (this.#observers.size > 0) for (const observer of this.#observers) observer(decision);
    this.#access?.write(decision);
  }

  #countCall(outcome: Outcome, route: string, code: Decision['code']): void {
    const call = callOf(outcome);
    if (call !== undefined) this.calls.add(route, call, code);
  }

  /** Lines of the access log that were not written. */
  get accessLinesLost(): number {
    return this.#access?.lost ?? 0;
  }

  /** Requests of a trusted proxy that the gateway judged by Host, although X-Forwarded-Host names another host. */
  get otherHosts(): number {
    return this.#otherHosts;
  }

  /**
   * Counts each such request, and logs the first. The cause is a setting of the proxy, so it affects all requests of
   * that proxy.
   */
  otherHost({ host, origin }: RequestHead): void {
    this.#otherHosts++;
    if (this.#otherHosts > 1) return;
    const [judged, told] = [host?.value, origin.otherHost].map((text) =>
      text?.slice(0, LONGEST_HOST).replace(UNPRINTABLE, '?'),
    );
    this.#log.warn({ host: judged, x_forwarded_host: told, proxy: origin.chain.split(', ').at(-1) }, OTHER_HOST);
  }

  /** Bytes that never became a request. `answer`: facts that differ from the code's defaults. */
  countMalformed(code: Code, answer?: Partial<CountedAnswer>): void {
    this.#unrouted.count(code, '', { status: entry(code).status, method: undefined, ...answer });
  }

  /** Route ids are the keys in every generation, so counts continue after a reload. */
  tally(route: string): RouteTally {
    const known = this.#tallies.get(route);
    if (known !== undefined) return known;
    const tally = this.#newTally();
    this.#tallies.set(route, tally);
    return tally;
  }

  /** Route → its counts. Routes without requests are left out. Requests without a route have an empty route. */
  *tallies(): Iterable<readonly [route: string, tally: RouteTally]> {
    for (const [route, tally] of this.#tallies) if (!tally.isEmpty) yield [route, tally];
  }

  /** Returns a function that stops the watch. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Returns a function that stops the observation. */
  observe(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  #show(decision: Decision): void {
    const record = JSON.stringify({ time: this.#clock.now(), ...describeDecision(decision) });
    for (const watcher of this.#watchers) watcher(record);
  }
}

const LONGEST_HOST = 253;
const UNPRINTABLE = /[^\x21-\x7e]/g;

const OTHER_HOST =
  'a trusted proxy sends another host in X-Forwarded-Host; the gateway judges the request by Host and forwards Host. If the proxy sets this header on every request, write `trusted_proxies: { from: […], host: forwarded }`';

const levels: Readonly<Record<string, 'debug' | 'warn' | 'error'>> = {
  forwarded: 'debug',
  answered: 'debug',
  client_gone: 'debug',
  // Most likely a setting is wrong, so that every request of this proxy fails.
  caller_untrusted: 'warn',
  internal_error: 'error',
};

/**
 * A request that shadow mode would have refused or changed is logged at the level of a refusal. So the report can read a
 * log at the default level. A failing API is logged like an unreachable one.
 */
function levelOf(decision: Decision): 'debug' | 'info' | 'warn' | 'error' {
  const { code, outcome, status = 0, isCut } = decision;
  if (isCut === true || (code === 'forwarded' && status >= 500)) return 'warn';
  if (code === 'forwarded' && outcome?.kind === 'forward' && isForReport(decision, outcome)) return 'info';
  return levels[code] ?? (entryStatus(code) >= 500 ? 'warn' : 'info');
}

function isForReport(decision: Decision, plan: Forward): boolean {
  if (plan.shadow === undefined) return false;
  return plan.shadow !== 'pass' || isNoticed(decision, plan);
}

function entryStatus(code: Decision['code']): number {
  return isCode(code) ? entry(code).status : 200;
}

/**
 * The reason in a few words of the gateway. In shadow mode: the code of the refusal that enforcing would cause. For an
 * outage: the dependency.
 */
function reasonOf(outcome: Outcome | undefined): string {
  switch (outcome?.kind) {
    case 'forward':
      return outcome.shadow === undefined || outcome.shadow === 'pass' ? '' : `shadow ${outcome.shadow.code}`;
    case 'refuse':
      return OF_CLIENT.has(outcome.code) ? '' : inShort(outcome.detail);
    case 'unavailable':
      return outcome.outage.dependency;
    default:
      return '';
  }
}

/** The detail of these codes contains words of the client, who could create any number of labels. */
const OF_CLIENT: ReadonlySet<Code> = new Set(['connection_names_decisive']);

/** The part after the comma is about the file, for a human reader. */
function inShort(detail = ''): string {
  const [reason = ''] = detail.split(', and the gateway ');
  return PLAIN.test(reason) ? reason : '';
}

/** A detail that quotes the request is only for the log. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_ -]{0,47}$/;
