import { authorize, parametersOf, randomText, type Wanted } from '../authorization.ts';
import { checkError, needsPage } from '../checks/authorization-answer.ts';
import { hasLoggedIn, type Login, logIn } from '../happy-flow.ts';
import type { PlanModule } from '../module.ts';
import { nowAt, type Party } from '../party.ts';

/** `prompt`, `max_age` and `id_token_hint` (OpenID Connect Core §3.1.2.1). */
export const sessionModules: readonly PlanModule[] = [
  {
    name: 'oidcc-prompt-login',
    section: 'OpenID Connect Core §3.1.2.1',
    judges: 'With prompt=login, a user with a session logs in again, and auth_time is later.',
    run: async (party) => loginAgain(party, { prompt: 'login' }),
  },
  {
    name: 'oidcc-prompt-none-not-logged-in',
    section: 'OpenID Connect Core §3.1.2.6',
    judges: 'With prompt=none and without a session, the client gets an error at once.',
    run: silentWithoutSession,
  },
  {
    name: 'oidcc-prompt-none-logged-in',
    section: 'OpenID Connect Core §3.1.2.1',
    judges: 'With prompt=none and a session, the client gets the same login without any page.',
    run: async (party) => sameLogin(party, await logIn(party), { prompt: 'none' }),
  },
  {
    name: 'oidcc-max-age-1',
    section: 'OpenID Connect Core §3.1.2.1, §2',
    judges: 'Two seconds after a login, max_age=1 asks for another login, and auth_time is later.',
    run: async (party) => loginAgain(party, { max_age: '1' }),
  },
  {
    name: 'oidcc-max-age-10000',
    section: 'OpenID Connect Core §3.1.2.1, §2',
    judges: 'With max_age, the ID token has auth_time, and a recent login is enough.',
    run: async (party) => sameLogin(party, await logIn(party, { max_age: '15000' }), { max_age: '10000' }),
  },
  {
    name: 'oidcc-id-token-hint',
    section: 'OpenID Connect Core §3.1.2.1, §3.1.2.2',
    judges: 'With prompt=none and the ID token as a hint, the client gets the same login without any page.',
    run: withHint,
  },
];

/** Milliseconds between two logins: more than max_age=1, so that a time in seconds differs too. */
const PAUSE = 2_000;

async function loginAgain(party: Party, wanted: Wanted): Promise<void> {
  const { judge, provider } = party;
  const first = await logIn(party);
  provider.clock.advance(PAUSE);
  const second = await logIn(party, wanted);
  judge.must(hasLoggedIn(second.authorization), 'the user sees the login page again');
  const [before, after] = [first.idToken.auth_time, second.idToken.auth_time];
  judge.must(after !== undefined || wanted.max_age === undefined, 'auth_time is there with max_age');
  const isLater = typeof before !== 'number' || (typeof after === 'number' && after > before);
  judge.must(isLater, 'auth_time is later than before', [before, after]);
  judge.must(after === undefined || nowAt(party) - Number(after) <= 1, 'auth_time is the time of this login', after);
  judge.must(second.idToken.sub === first.idToken.sub, 'the user is the same', second.idToken.sub);
}

/** The second time, nothing asks the user. */
async function sameLogin(party: Party, first: Login, wanted: Wanted): Promise<void> {
  const { judge, provider } = party;
  provider.clock.advance(PAUSE);
  const second = await logIn(party, wanted);
  const pages = second.authorization.visit.seen.filter((page) => page !== 'form_post');
  judge.must(pages.length === 0, 'the user sees no page', pages);
  judge.must(second.idToken.sub === first.idToken.sub, 'the user is the same', second.idToken.sub);
  const [before, after] = [first.idToken.auth_time, second.idToken.auth_time];
  judge.must(before === after, 'auth_time is the same', [before, after]);
  judge.must(before !== undefined || wanted.max_age === undefined, 'auth_time is there with max_age');
}

/** The state is long, because a provider must not change it. */
async function silentWithoutSession(party: Party): Promise<void> {
  const authorization = await authorize(party, parametersOf(party, { prompt: 'none', state: randomText(96) }));
  party.judge.must(!hasLoggedIn(authorization), 'the user sees no page');
  checkError(party, authorization, needsPage);
}

async function withHint(party: Party): Promise<void> {
  const first = await logIn(party);
  await sameLogin(party, first, { prompt: 'none', id_token_hint: String(first.tokens.idToken) });
}
