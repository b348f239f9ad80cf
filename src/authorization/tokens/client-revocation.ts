import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '../../base/clock.ts';
import type { Service } from '../service/service.ts';

const DAY = 86_400;

/** Seconds, at least a day. Tokens of an earlier configuration may live longer than tokens of the current one. */
export function longestLife({ tokens }: Service['config']): number {
  return Math.max(DAY, Math.ceil(Math.max(tokens.access.ttl, tokens.access.jwt_ttl) / 1000));
}

/**
 * Ends all current tokens of a client. Returns the NumericDate from which new tokens are valid. `iat` has whole seconds, so
 * this waits for the next second. Then older and newer tokens differ.
 */
export async function revokeTokensOfClient({ config, clock, records }: Service, id: string): Promise<number> {
  const nbf = seconds(clock) + 1;
  await pause(nbf * 1000 - clock.now());
  await records.revokeTokensOfClient({ id, nbf, now: Math.max(nbf, seconds(clock)), lifetime: longestLife(config) });
  return nbf;
}
