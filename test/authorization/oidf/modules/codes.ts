import { createHash } from 'node:crypto';
import { authorize, parametersOf, randomText } from '../authorization.ts';
import { checkInvalidGrant } from '../checks/token-answer.ts';
import { askUserinfo, bearer } from '../checks/userinfo.ts';
import { completed, type Login, logIn } from '../happy-flow.ts';
import type { PlanModule } from '../module.ts';
import type { Party } from '../party.ts';
import { shown } from '../provider/exchange.ts';
import { redeemCode } from '../token-request.ts';

/** Authorization codes. */
export const codeModules: readonly PlanModule[] = [
  {
    name: 'oidcc-codereuse',
    section: 'RFC 6749 §4.1.2',
    judges: 'A code that was used is refused with invalid_grant.',
    run: async (party) => reuse(party, await logIn(party)),
  },
  {
    name: 'oidcc-codereuse-30seconds',
    section: 'RFC 6749 §4.1.2',
    judges: 'A code that was used 30 seconds ago is refused, and its access token is revoked.',
    run: reuseLater,
  },
  {
    name: 'oidcc-ensure-request-with-valid-pkce-succeeds',
    section: 'RFC 7636 §4',
    judges: 'A client may use PKCE, and its verifier must be right.',
    run: withPkce,
  },
];

async function reuse(party: Party, { code }: Login): Promise<void> {
  const answer = await redeemCode(party, code);
  if (answer.status === 200) party.judge.should(false, 'a code works once', shown(answer));
  else checkInvalidGrant(party, answer);
}

async function reuseLater(party: Party): Promise<void> {
  const { code, tokens } = await logIn(party);
  party.provider.clock.advance(30_000);
  const before = await askUserinfo(party, bearer(tokens.accessToken));
  party.judge.must(before.status === 200, 'the access token works until the code is used again', shown(before));
  checkInvalidGrant(party, await redeemCode(party, code));
  const after = await askUserinfo(party, bearer(tokens.accessToken));
  party.judge.should(after.status === 401, 'the access token of a code that was used twice is revoked', shown(after));
}

async function withPkce(party: Party): Promise<void> {
  const verifier = randomText(48);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const sent = parametersOf(party, { code_challenge: challenge, code_challenge_method: 'S256' });
  await completed(party, await authorize(party, sent), { code_verifier: verifier });
}
