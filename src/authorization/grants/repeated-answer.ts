import { seconds } from '../../base/clock.ts';
import { formatScope, scopeList } from '../../oauth/scope.ts';
import type { RefreshTokenRecord } from '../../storage/records/records.ts';
import type { Service } from '../service/service.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { openByToken, sealByToken } from '../tokens/sealed-by-token.ts';
import type { TokenRequest } from './grant.ts';

interface Refresh extends TokenRequest {
  readonly service: Service;
  readonly presented: string;
  readonly found: RefreshTokenRecord;
}

interface Answer {
  readonly response: TokenResponse;
  readonly expiresAt: number;
}

interface Kept extends Answer {
  /** The requested parameters. An answer is repeated only for the same request. */
  readonly question: string;
}

const PURPOSE = 'answer to a refresh';

/** Seals the answer for a client with a `retry_window`, so that a lost answer can be sent again. */
export function keepAnswer(refresh: Refresh, answer: Answer): Uint8Array | undefined {
  if (refresh.client.retryWindow === 0) return undefined;
  const kept: Kept = { ...answer, question: question(refresh) };
  return sealByToken(refresh.presented, PURPOSE, JSON.stringify(kept));
}

/**
 * The same tokens again, while the window is open and the new refresh token is unused. A used one proves that the client
 * received the answer.
 */
export function repeatAnswer(refresh: Refresh, usedAt: number): TokenResponse | undefined {
  const { client, service, presented, found } = refresh;
  const now = seconds(service.clock);
  if (found.response === undefined || found.successorUsed || now - usedAt > client.retryWindow / 1000) return undefined;
  const text = openByToken(presented, PURPOSE, found.response);
  const kept = text === undefined ? undefined : (JSON.parse(text) as Kept);
  if (kept === undefined || kept.question !== question(refresh)) return undefined;
  return { ...kept.response, expires_in: Math.max(0, kept.expiresAt - now) };
}

function question({ parameters }: TokenRequest): string {
  const scope = formatScope(scopeList(parameters.get('scope') ?? '').toSorted());
  return JSON.stringify([scope, parameters.all('resource').toSorted()]);
}
