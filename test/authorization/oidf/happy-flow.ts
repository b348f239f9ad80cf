import { type Authorization, authorize, parametersOf, type Wanted } from './authorization.ts';
import { checkCode } from './checks/authorization-answer.ts';
import { checkIdToken } from './checks/id-token.ts';
import type { Claims } from './checks/standard-claims.ts';
import { checkTokens, type Tokens } from './checks/token-answer.ts';
import { askUserinfo, bearer, checkUserinfo } from './checks/userinfo.ts';
import type { Party } from './party.ts';
import { redeemCode } from './token-request.ts';

/** A login from its request to userinfo. */
export interface Login {
  readonly authorization: Authorization;
  readonly code: string;
  readonly tokens: Tokens;
  readonly idToken: Claims;
  readonly userinfo: Claims;
}

/** The whole code flow, with every check that each module makes. */
export async function logIn(party: Party, wanted: Wanted = {}): Promise<Login> {
  return completed(party, await authorize(party, parametersOf(party, wanted)));
}

/** The rest of the flow after the answer to the authorization request. */
export async function completed(
  party: Party,
  authorization: Authorization,
  more: Readonly<Record<string, string>> = {},
): Promise<Login> {
  const code = checkCode(party, authorization);
  const tokens = checkTokens(party, await redeemCode(party, code, more));
  const facts = { nonce: authorization.sent.nonce, accessToken: tokens.accessToken };
  const idToken = await checkIdToken(party, tokens.idToken, facts);
  const userinfo = checkUserinfo(party, await askUserinfo(party, bearer(tokens.accessToken)), idToken.sub);
  return { authorization, code, tokens, idToken, userinfo };
}

/** The user saw the login page. */
export function hasLoggedIn({ visit }: Authorization): boolean {
  return visit.seen.includes('login');
}
