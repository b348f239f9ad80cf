import { askUserinfo, bearer, checkScopeClaims, checkUserinfo } from '../checks/userinfo.ts';
import { logIn } from '../happy-flow.ts';
import type { PlanModule } from '../module.ts';
import type { Party } from '../party.ts';
import { shown } from '../provider/exchange.ts';

/** With the charset that the suite's library adds. */
const form = 'application/x-www-form-urlencoded;charset=UTF-8';

/** The userinfo endpoint. */
export const userinfoModules: readonly PlanModule[] = [
  {
    name: 'oidcc-userinfo-get',
    section: 'OpenID Connect Core §5.3.1',
    judges: 'Userinfo answers a GET with the token in the header.',
    run: async (party) => checkScopeClaims(party, (await logIn(party)).userinfo, 'openid'),
  },
  {
    name: 'oidcc-userinfo-post-header',
    section: 'OpenID Connect Core §5.3.1',
    judges: 'Userinfo answers a POST with the token in the header.',
    run: postWithHeader,
  },
  {
    name: 'oidcc-userinfo-post-body',
    section: 'RFC 6750 §2.2',
    judges: 'Userinfo answers a POST with the token in the form.',
    run: postWithForm,
  },
];

/** The suite sends an empty form. */
async function postWithHeader(party: Party): Promise<void> {
  const { tokens, idToken } = await logIn(party);
  const { headers } = bearer(tokens.accessToken);
  for (const type of [{ 'content-type': form }, {}]) {
    const answer = await askUserinfo(party, { method: 'POST', headers: { ...headers, ...type } });
    checkScopeClaims(party, checkUserinfo(party, answer, idToken.sub), 'openid');
  }
}

/** A provider may refuse this way, so a refusal is only a warning. */
async function postWithForm(party: Party): Promise<void> {
  const { tokens, idToken } = await logIn(party);
  const answer = await askUserinfo(party, {
    method: 'POST',
    headers: { 'content-type': form },
    body: new URLSearchParams({ access_token: tokens.accessToken }).toString(),
  });
  party.judge.should(answer.status === 200, 'userinfo takes a token in the form', shown(answer));
  if (answer.status === 200) checkScopeClaims(party, checkUserinfo(party, answer, idToken.sub), 'openid');
}
