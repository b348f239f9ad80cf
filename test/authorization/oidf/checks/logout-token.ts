import { decodeProtectedHeader } from 'jose';
import { nowAt, type Party } from '../party.ts';
import { checkParties, verified } from './id-token.ts';
import type { Claims } from './standard-claims.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** OpenID Connect Back-Channel Logout §2.4. `idToken`: of the session that ended. */
export async function checkLogoutToken(party: Party, token: string, idToken: Claims): Promise<void> {
  const { judge } = party;
  const claims = await verified(party, token);
  judge.should(decodeProtectedHeader(token).typ === 'logout+jwt', 'the type is logout+jwt');
  checkParties(party, claims);
  checkTimes(party, claims);
  judge.must(typeof claims.jti === 'string' && claims.jti !== '', 'there is a jti', claims.jti);
  judge.must(JSON.stringify(claims.events) === JSON.stringify({ [EVENT]: {} }), 'events says logout', claims.events);
  judge.must(claims.nonce === undefined, 'there is no nonce', claims.nonce);
  judge.must(claims.sid !== undefined && claims.sid === idToken.sid, 'sid is of the ID token', claims.sid);
  judge.must(claims.sub === undefined || claims.sub === idToken.sub, 'sub is of the ID token', claims.sub);
}

/** Seconds that a token is valid at most. */
const LONGEST = 120;

function checkTimes(party: Party, { iat, exp }: Claims): void {
  const now = nowAt(party);
  party.judge.must(typeof iat === 'number' && Math.abs(now - iat) <= 5, 'iat is now', iat);
  party.judge.must(typeof exp === 'number' && exp > now, 'exp is in the future', exp);
  party.judge.should(Number(exp) - Number(iat) <= LONGEST, 'the token is valid for two minutes at most', [iat, exp]);
}
