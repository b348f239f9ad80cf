import type { Test } from 'tap';
import { inTime, lateness } from '../support/lateness.ts';
import { type Asked, timeUntil } from './revoked.ts';

/** `revoke` returns a token that was accepted, and whose revocation was answered. */
export async function refusedWithinASecond(
  t: Test,
  gateways: readonly Pick<Asked, 'said'>[],
  revoke: () => Promise<string>,
): Promise<void> {
  const { measure } = await lateness(t);
  const token = await revoke();
  const figures = await measure(() => Promise.all(gateways.map((each) => timeUntil(each, token, '401 token_revoked'))));
  inTime(t, 'refused within a second', 1_000, figures);
}
