import type { FastifyRequest } from 'fastify';
import { type Clock, seconds } from '../../base/clock.ts';
import { parseOAuthParameters } from '../../oauth/parameters.ts';
import { queryOf } from '../http/form.ts';

/** The last action and its time, from the page's address. */
export interface Done<What extends string> {
  readonly what: What;
  /** Milliseconds. */
  readonly at?: number;
}

/** Seconds for which the parameter is accepted. So a forged link shows a wrong message for a limited time only. */
const RECENT = 600;

/** `now`: seconds, the time at which the store and the feed had the change. */
export function doneAddress(page: string, what: string, now: number): string {
  return `${page}?done=${what}&at=${now}`;
}

export function readDone<What extends string>(
  { raw }: FastifyRequest,
  known: readonly What[],
  clock: Clock,
): Done<What> | undefined {
  const said = parseOAuthParameters(queryOf(raw.url ?? ''), { aliases: false });
  const what = known.find((done) => done === said.get('done'));
  const at = Number(said.get('at'));
  const age = seconds(clock) - at;
  return what && { what, ...(age >= 0 && age <= RECENT && { at: at * 1000 }) };
}
