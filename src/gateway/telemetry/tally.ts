import type { Outcome } from '../outcome.ts';
import type { Decision } from './decision-record.ts';
import { Histogram } from './histogram.ts';

/** Reasons of one code that are counted apart: what a stranger can vary must not fill memory and dashboards. */
const MOST_REASONS = 16;

/** What became of the requests of one route. */
export class Tally {
  readonly requests = new Histogram();
  readonly upstream = new Histogram();
  #forwarded = 0;
  /** Code → reason → count. */
  readonly #others = new Map<string, Map<string, number>>();

  add({ code, outcome, milliseconds, upstream }: Decision): void {
    this.requests.add(milliseconds);
    if (upstream !== undefined) this.upstream.add(upstream);
    const reason = reasonOf(outcome);
    if (code === 'forwarded' && reason === '') this.#forwarded++;
    else this.count(code, reason);
  }

  /** Also for a request that never became one. */
  count(code: string, reason = ''): void {
    const reasons = this.#others.get(code) ?? new Map<string, number>();
    this.#others.set(code, reasons);
    const bounded = reasons.has(reason) || reasons.size < MOST_REASONS ? reason : 'other';
    reasons.set(bounded, (reasons.get(bounded) ?? 0) + 1);
  }

  *counts(): Iterable<{ code: string; reason: string; count: number }> {
    if (this.#forwarded > 0) yield { code: 'forwarded', reason: '', count: this.#forwarded };
    for (const [code, reasons] of this.#others) {
      for (const [reason, count] of reasons) yield { code, reason, count };
    }
  }
}

/** A few words of ours; in shadow mode what enforcing would have said; of an outage who is out. */
function reasonOf(outcome: Outcome | undefined): string {
  switch (outcome?.kind) {
    case 'forward':
      return outcome.shadow === undefined || outcome.shadow === 'pass' ? '' : `shadow ${outcome.shadow.code}`;
    case 'refuse':
      return outcome.detail !== undefined && PLAIN.test(outcome.detail) ? outcome.detail : '';
    case 'unavailable':
      return outcome.outage.dependency;
    default:
      return '';
  }
}

/** A reason that quotes what was sent is for the log only. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_ -]{0,47}$/;
