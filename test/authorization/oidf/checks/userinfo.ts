import { need } from '../judge.ts';
import { endpointOf, type Party } from '../party.ts';
import { type Answer, exchange, jsonOf, shown, type ToSend } from '../provider/exchange.ts';
import { type Claims, checkStandardClaims, claimsOfScopes } from './standard-claims.ts';

export function bearer(token: string): ToSend {
  return { headers: { authorization: `Bearer ${token}` } };
}

export function askUserinfo(party: Party, sent: ToSend): Promise<Answer> {
  return exchange(endpointOf(party, 'userinfo_endpoint'), sent);
}

/** OpenID Connect Core §5.3.2, §5.3.4. `subject`: of the ID token. */
export function checkUserinfo({ judge }: Party, answer: Answer, subject: unknown): Claims {
  need(judge, answer.status === 200, 'userinfo answers 200', shown(answer));
  judge.must(/^application\/json\b/.test(answer.headers['content-type'] ?? ''), 'userinfo is JSON', shown(answer));
  const claims = jsonOf(answer);
  need(judge, claims !== undefined, 'userinfo is a JSON object', shown(answer));
  judge.must(typeof claims.sub === 'string', 'userinfo has sub', claims);
  judge.must(claims.sub === subject, 'userinfo has the sub of the ID token', claims.sub);
  checkStandardClaims(judge, claims, 'userinfo');
  return claims;
}

/** OpenID Connect Core §5.4. */
export function checkScopeClaims({ judge }: Party, claims: Claims, scope: string): void {
  const expected = scope.split(' ').flatMap((name) => claimsOfScopes[name] ?? []);
  const missing = expected.filter((name) => claims[name] === undefined);
  judge.should(missing.length === 0, `userinfo has all claims of ${scope}`, missing);
  const others = Object.keys(claims).filter((name) => !expected.includes(name));
  judge.should(others.length === 0, `userinfo has only claims of ${scope}`, others);
}
