import { need } from '../judge.ts';
import type { Party } from '../party.ts';
import { type Answer, jsonOf, shown } from '../provider/exchange.ts';
import { checkErrorValues } from './error-values.ts';
import type { Claims } from './standard-claims.ts';

/** A successful answer of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: unknown;
}

/** RFC 6749 §5.1. */
export function checkTokens({ judge }: Party, answer: Answer): Tokens {
  need(judge, answer.status === 200, 'the token endpoint answers 200', shown(answer));
  checkJson({ judge }, answer);
  const { 'cache-control': cache = '' } = answer.headers;
  judge.must(/\bno-store\b/.test(cache), 'tokens have Cache-Control: no-store', cache);
  const body = jsonOf(answer) ?? {};
  judge.must(/^bearer$/i.test(String(body.token_type)), 'token_type is Bearer', body.token_type);
  const lifetime = body.expires_in;
  judge.must(lifetime === undefined || isLifetime(lifetime), 'expires_in is a number of seconds', lifetime);
  return tokensOf({ judge }, body);
}

type Judging = Pick<Party, 'judge'>;

function isLifetime(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function tokensOf({ judge }: Judging, body: Claims): Tokens {
  const { access_token: access, refresh_token: refresh, id_token: idToken } = body;
  need(judge, typeof access === 'string', 'there is an access token', body);
  judge.must(isUnguessable(access), 'the access token cannot be guessed', access);
  judge.must(refresh === undefined || isUnguessable(refresh), 'the refresh token cannot be guessed', refresh);
  return { accessToken: access, refreshToken: typeof refresh === 'string' ? refresh : undefined, idToken };
}

/** RFC 6749 §10.10, A.12, A.17: visible ASCII with at least 128 bits, as far as its characters show. */
export function isUnguessable(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / value.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0) * value.length >= 96;
}

function checkJson({ judge }: Judging, answer: Answer): void {
  const isJson = /^application\/json\b/.test(answer.headers['content-type'] ?? '');
  judge.must(isJson && jsonOf(answer) !== undefined, 'the token endpoint answers JSON', shown(answer));
}

/** RFC 6749 §5.2: the grant is not valid. */
export function checkInvalidGrant({ judge }: Party, answer: Answer): void {
  judge.must(answer.status === 400, 'the token endpoint answers 400', shown(answer));
  checkJson({ judge }, answer);
  const body = jsonOf(answer) ?? {};
  judge.must(body.error === 'invalid_grant', 'the error is invalid_grant', shown(answer));
  checkErrorValues(judge, body);
  judge.must(body.access_token === undefined, 'an error has no token', shown(answer));
}
