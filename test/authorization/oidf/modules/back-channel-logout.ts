import { until } from '../../../support/until.ts';
import { checkAddresses } from '../checks/discovery.ts';
import { checkLogoutToken } from '../checks/logout-token.ts';
import { logIn } from '../happy-flow.ts';
import { need } from '../judge.ts';
import { checkLoggedOut, checkReturned, logOut } from '../logout.ts';
import type { PlanModule } from '../module.ts';
import { endpointOf, type Party } from '../party.ts';
import { paths } from '../provider/client-site.ts';

/** Back-channel logout after an RP-initiated logout. */
export const backChannelModules: readonly PlanModule[] = [
  {
    name: 'oidcc-backchannel-logout-discovery-endpoint-verification',
    section: 'OpenID Connect Back-Channel Logout §2.1',
    judges: 'The metadata says that logout tokens with a sid are sent, and each address uses https.',
    run: discover,
  },
  {
    name: 'oidcc-backchannel-rp-initiated-logout',
    section: 'OpenID Connect Back-Channel Logout §2.4, §2.5',
    judges: 'A logout sends a valid logout token to the client, and the browser comes back.',
    run: logOutEverywhere,
  },
];

async function discover(party: Party): Promise<void> {
  const { judge, metadata } = party;
  for (const name of ['backchannel_logout_supported', 'backchannel_logout_session_supported'])
    judge.must(metadata[name] === true, `${name} is true`, metadata[name]);
  endpointOf(party, 'end_session_endpoint');
  checkAddresses(judge, metadata);
}

/** Milliseconds for which the client waits for the logout token. */
const PATIENCE = 10_000;

async function logOutEverywhere(party: Party): Promise<void> {
  const { judge, provider } = party;
  const before = provider.site.at(paths.logoutToken).length;
  const login = await logIn(party);
  checkReturned(party, await logOut(party, login));
  const heard = () => provider.site.at(paths.logoutToken).slice(before);
  await until(() => heard().length > 0, PATIENCE);
  const [call, ...others] = heard();
  need(judge, call !== undefined && others.length === 0, 'the client gets one logout token', others.length);
  const isForm = call.method === 'POST' && call.type.startsWith('application/x-www-form-urlencoded');
  judge.must(isForm, 'the logout token comes in a form', `${call.method} ${call.type}`);
  const form = new URLSearchParams(call.body);
  judge.must([...form.keys()].join() === 'logout_token', 'the form has only a logout token', call.body);
  await checkLogoutToken(party, form.get('logout_token') ?? '', login.idToken);
  await checkLoggedOut(party);
}
