import { checkIdToken } from '../checks/id-token.ts';
import { checkInvalidGrant, checkTokens, type Tokens } from '../checks/token-answer.ts';
import { askUserinfo, bearer, checkUserinfo } from '../checks/userinfo.ts';
import { type Login, logIn } from '../happy-flow.ts';
import { skipModule } from '../judge.ts';
import type { PlanModule } from '../module.ts';
import { lists, type Party } from '../party.ts';
import { client, second } from '../provider/registered.ts';
import { refreshTokens } from '../token-request.ts';

export const refreshModules: readonly PlanModule[] = [
  {
    name: 'oidcc-refresh-token',
    section: 'OpenID Connect Core §12, RFC 6749 §6',
    judges: 'A refresh gives new tokens for the same login, and another client cannot use the refresh token.',
    run: refresh,
  },
];

/** Milliseconds until the refresh, so that `iat` differs. */
const PAUSE = 1_000;

async function refresh(party: Party): Promise<void> {
  const scope = lists(party.metadata, 'scopes_supported', 'offline_access') ? 'openid offline_access' : 'openid';
  await refreshed(party, scope);
  const other = { ...party, client: second };
  const tokens = await refreshed(other, scope);
  checkInvalidGrant(party, await refreshTokens({ ...party, client }, tokens.refreshToken ?? ''));
}

/** Logs in and refreshes once. The tokens are the newest. */
async function refreshed(party: Party, scope: string): Promise<Tokens> {
  const { judge, metadata, provider } = party;
  const login = await logIn(party, { scope, ...(scope.includes('offline') && { prompt: 'consent' }) });
  const token = login.tokens.refreshToken;
  if (token === undefined) skipModule('the provider issues no refresh token');
  judge.should(lists(metadata, 'grant_types_supported', 'refresh_token'), 'the metadata lists refresh_token');
  provider.clock.advance(PAUSE);
  const tokens = checkTokens(party, await refreshTokens(party, token, { scope }));
  judge.must(tokens.accessToken !== login.tokens.accessToken, 'the access token is a new one');
  await checkSameLogin(party, login, tokens);
  return { ...tokens, refreshToken: tokens.refreshToken ?? token };
}

/** OpenID Connect Core §12.2. */
async function checkSameLogin(party: Party, { idToken: before }: Login, tokens: Tokens): Promise<void> {
  const { judge } = party;
  const facts = { nonce: undefined, accessToken: tokens.accessToken };
  if (tokens.idToken !== undefined) {
    const after = await checkIdToken(party, tokens.idToken, facts);
    for (const name of ['iss', 'sub', 'aud', 'azp', 'auth_time'])
      judge.must(before[name] === after[name], `${name} is the same after a refresh`, [before[name], after[name]]);
    judge.must(Number(after.iat) > Number(before.iat), 'iat is the time of the refresh', [before.iat, after.iat]);
  }
  checkUserinfo(party, await askUserinfo(party, bearer(tokens.accessToken)), before.sub);
}
