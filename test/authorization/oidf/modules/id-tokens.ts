import { logIn } from '../happy-flow.ts';
import { skipModule } from '../judge.ts';
import type { PlanModule } from '../module.ts';
import { lists, type Party } from '../party.ts';

/** The signature of ID tokens, and claims that a request asks for. */
export const idTokenModules: readonly PlanModule[] = [
  {
    name: 'oidcc-idtoken-signature',
    section: 'OpenID Connect Core §3.1.3.7, §10.1',
    judges: 'A client that asks for no algorithm gets ID tokens with RS256, signed by the key that kid names.',
    run: async (party) => void (await logIn(party)),
  },
  {
    name: 'oidcc-idtoken-unsigned',
    section: 'OpenID Connect Core §2',
    judges: 'A provider that does not list none signs every ID token.',
    run: unsigned,
  },
  {
    name: 'oidcc-claims-essential',
    section: 'OpenID Connect Core §5.5',
    judges: 'An essential name claim, requested for userinfo, is in userinfo and not in the ID token.',
    run: essentialName,
  },
  {
    name: 'oidcc-ensure-request-with-acr-values-succeeds',
    section: 'OpenID Connect Core §3.1.2.1, §15.1',
    judges: 'A request with acr_values succeeds, and the ID token has one of these values as acr.',
    run: acrValues,
  },
];

async function unsigned(party: Party): Promise<void> {
  const algorithms = party.metadata.id_token_signing_alg_values_supported;
  const isOffered = lists(party.metadata, 'id_token_signing_alg_values_supported', 'none');
  party.judge.must(!isOffered, 'unsigned ID tokens are not offered', algorithms);
  await logIn(party);
  skipModule('id_token_signing_alg_values_supported does not have none');
}

async function essentialName(party: Party): Promise<void> {
  const { judge } = party;
  const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
  const { userinfo, idToken } = await logIn(party, { claims });
  judge.should(typeof userinfo.name === 'string', 'userinfo has the name', userinfo);
  judge.should(idToken.name === undefined, 'the ID token does not have the name', idToken.name);
}

async function acrValues(party: Party): Promise<void> {
  const listed = party.metadata.acr_values_supported;
  const values: readonly string[] = Array.isArray(listed) && listed.length > 0 ? listed : ['1', '2'];
  const { idToken } = await logIn(party, { acr_values: values.join(' ') });
  party.judge.should(values.includes(String(idToken.acr)), 'acr is one of acr_values', idToken.acr);
}
