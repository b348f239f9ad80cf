import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/base/clock.ts';
import { memoryCounters } from '../../../src/counters/memory.ts';
import { buildLoginThrottle, type Throttle } from '../../../src/counters/throttle.ts';
import type { RequestHead } from '../../../src/gateway/message/request-head.ts';
import type { Presented } from '../../../src/gateway/schemes/http-scheme.ts';
import { digestAlgorithmNames } from '../../../src/http-auth/digest-algorithms.ts';
import { answerDigest, digestSelf } from '../../../src/http-auth/digest-answer.ts';
import { chooseOffer, type DigestOffer, type DigestWish } from '../../../src/http-auth/digest-offer.ts';
import { headOf } from '../head.ts';

export const user = { username: 'alice', password: 'wonderland', userhash: false } as const;

const wish: DigestWish = { algorithms: [...digestAlgorithmNames], qop: ['auth', 'auth-int'] };

export function throttleOf(clock: Clock, maxFailures = 3): Throttle {
  return buildLoginThrottle({ counters: memoryCounters(clock), maxFailures, window: 60_000 });
}

/** Allows so many attempts to begin; then there were too many failures. */
export function fullAfter(attempts: number): Throttle {
  let left = attempts;
  return { attempt: () => ({ retryAfter: left-- > 0 ? undefined : 7, fail: () => undefined }) };
}

/** A client's answer to the strongest challenge that it knows. */
export function offerOf(challenges: readonly string[], wished: Partial<DigestWish> = {}): DigestOffer {
  const offer = chooseOffer(challenges, { ...wish, ...wished });
  if (offer === undefined) throw new Error(`nothing to answer in ${challenges}`);
  return offer;
}

export interface Said {
  readonly count?: number;
  readonly uri?: string;
  readonly method?: string;
  readonly cnonce?: string;
  readonly qop?: 'auth' | 'auth-int' | undefined;
  readonly entity?: string;
  readonly login?: Partial<{ username: string; password: string; userhash: boolean }>;
  readonly address?: string;
  /** Of the finished header. */
  readonly change?: (authorization: string) => string;
}

export function present(
  value: string,
  { address = '192.0.2.1', method = 'GET', uri = '/a', entity }: Said = {},
): Presented {
  const head = from(headOf(['Host', 'api.example.com', 'Authorization', value], method, uri), address);
  return { value, head, entity: entity === undefined ? undefined : Buffer.from(entity) };
}

function from(head: RequestHead, address: string): RequestHead {
  return { ...head, origin: { ...head.origin, address } };
}

/** Answers an offer as a client does. */
export function answer(offer: DigestOffer, said: Said = {}): Presented {
  const { count = 1, method = 'GET', uri = '/a', cnonce = 'c', login = {}, entity, change = (same) => same } = said;
  const qop = 'qop' in said ? said.qop : offer.qop[0];
  const self = digestSelf({ ...user, ...login }, offer);
  const body = entity === undefined ? undefined : Buffer.from(entity);
  const { authorization } = answerDigest(self, { method, uri, count, cnonce, qop, entity: body });
  return present(change(authorization), said);
}

export const key = () => randomBytes(32).toString('base64');
