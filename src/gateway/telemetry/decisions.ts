import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { entry, isCode } from '../codes.ts';
import type { Forward } from '../outcome.ts';
import { type Decision, describeDecision } from './decision-record.ts';
import { Histogram } from './histogram.ts';
import { Tally } from './tally.ts';

export type { Decision } from './decision-record.ts';

/** Gets each decision as JSON. */
export type Watcher = (record: string) => void;

/** One record a request: it is counted, and written down for the log and for whoever watches; for nobody it is not. */
export class Decisions {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #tallies = new Map<string, Tally>();
  readonly #watchers = new Set<Watcher>();
  /** Our own work on a request, and the verification of credentials that were not in the cache. */
  readonly gateway = new Histogram();
  readonly verification = new Histogram();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  record(decision: Decision): void {
    this.#tally(decision.outcome?.route?.id ?? '').add(decision);
    if (decision.gateway !== undefined) this.gateway.add(decision.gateway);
    if (decision.verification !== undefined) this.verification.add(decision.verification);
    const level = levelOf(decision);
    if (this.#log.isLevelEnabled(level)) this.#log[level](describeDecision(decision), decision.code);
    if (this.#watchers.size > 0) this.#show(decision);
  }

  /** Also for a request that never became one. */
  count(route: string, code: string): void {
    this.#tally(route).count(code);
  }

  /** Route → what became of its requests; an unrouted request has an empty route. */
  tallies(): Iterable<readonly [route: string, tally: Tally]> {
    return this.#tallies;
  }

  /** Gives the way to stop. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  #tally(route: string): Tally {
    const known = this.#tallies.get(route);
    if (known !== undefined) return known;
    const tally = new Tally();
    this.#tallies.set(route, tally);
    return tally;
  }

  #show(decision: Decision): void {
    const record = JSON.stringify({ time: this.#clock.now(), ...describeDecision(decision) });
    for (const watcher of this.#watchers) watcher(record);
  }
}

const levels: Readonly<Record<string, 'debug' | 'error'>> = {
  forwarded: 'debug',
  answered: 'debug',
  client_gone: 'debug',
  internal_error: 'error',
};

/** What shadow mode would have refused is told as a refusal is: its report is made from a default log. */
function levelOf({ code, outcome }: Decision): 'debug' | 'info' | 'warn' | 'error' {
  if (code === 'forwarded' && outcome?.kind === 'forward' && wouldRefuse(outcome)) return 'info';
  return levels[code] ?? (entryStatus(code) >= 500 ? 'warn' : 'info');
}

function wouldRefuse({ shadow }: Forward): boolean {
  return shadow !== undefined && shadow !== 'pass';
}

function entryStatus(code: Decision['code']): number {
  return isCode(code) ? entry(code).status : 200;
}
