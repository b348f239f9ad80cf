import type { Test } from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import { percentiles } from '../../faults/support/percentiles.ts';
import type { Lateness } from '../../support/lateness.ts';
import type { Followers } from './followers.ts';

/** The key of a token's event. */
export const keyOf = (token: string) => sha256(token).toString('base64url');

interface Measured {
  readonly followers: Followers;
  readonly between: Lateness['between'];
  /** Token → when its revocation was answered. */
  readonly answered: ReadonlyMap<string, number>;
}

/** Milliseconds. */
const SECOND = 1_000;

/** Checks the time from the answer of each revocation to its receipt by the last follower, beyond the machine's lateness. */
export async function reachesLast(t: Test, what: string, { followers, between, answered }: Measured): Promise<void> {
  const last = await receipts(followers);
  const all = [];
  for (const [token, from] of answered)
    all.push(await between(from, Math.max(from, last.get(keyOf(token)) ?? Number.POSITIVE_INFINITY)));
  const beyond = percentiles(all.map(({ took, late }) => Math.max(0, took - late)));
  const took = percentiles(all.map(({ took }) => took));
  const said = `${what}: ${took.text}; without what the machine was late: ${beyond.text}`;
  t.ok(beyond.p99 < SECOND, said);
  t.comment(said);
}

/** Key of an event → when the last follower of all processes got it. */
async function receipts(followers: Followers): Promise<ReadonlyMap<string, number>> {
  const last = new Map<string, number>();
  for (const { keys, lastAt } of await followers.heard())
    for (const [index, key] of keys.entries()) last.set(key, Math.max(last.get(key) ?? 0, lastAt[index] ?? 0));
  return last;
}

/** Checks that each follower got exactly these events, once and in order. */
export async function hasAll(t: Test, followers: Followers, ids: readonly number[]): Promise<void> {
  t.ok(await followers.have(ids.length), 'every follower has all events');
  for (const { faults, resets } of await followers.states()) {
    t.strictSame(faults, [], 'no event was missing, repeated or in another order');
    t.equal(resets, 0);
  }
  for (const heard of await followers.heard()) t.strictSame(heard.ids, ids, 'the events of the store');
}
