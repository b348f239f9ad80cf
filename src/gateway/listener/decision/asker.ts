import type { OwnAnswer } from '../../client/problem-response.ts';
import { type Refuse, refuse } from '../../decide/outcome.ts';
import type { Unclear } from './decision-request.ts';

/** What every way of asking shares: who may ask, and what is said of a client whose proxy does not describe it. */

/** Replaces an unknown address. It is not a loopback address, and all clients without an address share their limits. */
export const UNKNOWN = '0.0.0.0';

/** For these methods, the hash of an empty body is correct (RFC 7616 §3.4.3), and no form has a token. */
export const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** For the record of a request that passes. */
export const PASSES: OwnAnswer = { status: 200, headers: [], body: '' };

export function untrusted(address: string): Refuse {
  const detail = `${address} is not in trusted_proxies: add it there if it is the asking proxy`;
  return refuse('caller_untrusted', { detail });
}

export function undescribed({ detail }: Pick<Unclear, 'detail'>): Refuse {
  return refuse('question_unclear', { detail });
}
