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

/** Seconds for which the parameter is believed: a forged link shows a wrong message for a minute at most. */
const RECENT = 600;

/** `now` in seconds: when the store had it, and the feed with it. */
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
