import { authorize, type Parameters, parametersOf, randomText, type Wanted } from './authorization.ts';
import { checkError, needsPage } from './checks/authorization-answer.ts';
import type { Login } from './happy-flow.ts';
import { endpointOf, type Party } from './party.ts';
import { paths, type SiteCall } from './provider/client-site.ts';
import type { Visit } from './provider/user-agent.ts';

/** A logout request, and everything up to its last answer. */
export interface Logout {
  readonly sent: Parameters;
  readonly visit: Visit;
  /** The request to the client's address. Undefined: the browser stays at the provider. */
  readonly returned: SiteCall | undefined;
}

/** RP-Initiated Logout §2: all parameters, with changes. Undefined leaves a parameter out. The state is long. */
export async function logOut(party: Party, login: Login, wanted: Wanted = {}): Promise<Logout> {
  const { site } = party.provider;
  const all = {
    id_token_hint: String(login.tokens.idToken),
    post_logout_redirect_uri: site.url + paths.afterLogout,
    state: randomText(96),
    ...wanted,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Parameters;
  const before = site.calls.length;
  const url = endpointOf(party, 'end_session_endpoint');
  url.search = new URLSearchParams(sent).toString();
  const visit = await party.browser.visit({ url });
  const returned = site.calls.slice(before).find((call) => call.url.pathname === paths.afterLogout);
  return { sent, visit, returned };
}

/** RP-Initiated Logout §3: the browser is back at the client, with the state and nothing else. */
export function checkReturned({ judge }: Party, { sent, visit, returned }: Logout): void {
  judge.must(returned !== undefined, 'the browser comes back to the client', visit.url);
  const query = Object.fromEntries(returned?.url.searchParams ?? []);
  judge.must(query.state === sent.state, 'the state is unchanged', query.state);
  const others = Object.keys(query).filter((name) => name !== 'state');
  judge.should(others.length === 0, 'the client gets only the state', others);
}

/** The user has no session any more. */
export async function checkLoggedOut(party: Party): Promise<void> {
  checkError(party, await authorize(party, parametersOf(party, { prompt: 'none' })), needsPage);
}
