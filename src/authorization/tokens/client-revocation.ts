import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../base/clock.ts';
import type { Service } from '../service/service.ts';

const DAY = 86_400;

/** Seconds, at least a day: tokens of an earlier configuration may live longer than those of this one. */
export function longestLife({ tokens }: Service['config']): number {
  return Math.max(DAY, Math.ceil(Math.max(tokens.access.ttl, tokens.access.jwt_ttl) / 1000));
}

/**
 * Ends all tokens of a client so far. Returns the NumericDate from which new tokens are valid. `iat` counts in seconds, so it
 * waits for the next second: then older tokens are distinct from newer ones.
 */
export async function revokeTokensOfClient({ config, clock, records }: Service, id: string): Promise<number> {
  const nbf = seconds(clock) + 1;
  await pause(nbf * 1000 - clock.now());
  await records.revokeTokensOfClient({ id, nbf, now: Math.max(nbf, seconds(clock)), lifetime: longestLife(config) });
  return nbf;
}
