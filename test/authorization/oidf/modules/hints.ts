import { hasLoggedIn, type Login, logIn } from '../happy-flow.ts';
import type { PlanModule } from '../module.ts';
import type { Party } from '../party.ts';

/** Parameters about the pages, which must at least do no harm (OpenID Connect Core §15.1). */
export const hintModules: readonly PlanModule[] = [
  ...['page', 'popup'].map((display) => ({
    name: `oidcc-display-${display}`,
    section: 'OpenID Connect Core §3.1.2.1, §15.1',
    judges: `With display=${display}, the user sees the login page, and the login succeeds.`,
    run: async (party: Party) => void (await withLoginPage(party, { display })),
  })),
  {
    name: 'oidcc-login-hint',
    section: 'OpenID Connect Core §3.1.2.1',
    judges: 'With login_hint, the user sees the login page, and the login succeeds.',
    run: async (party) => void (await withLoginPage(party, { login_hint: `buffy@${party.provider.issuer.slice(8)}` })),
  },
  {
    name: 'oidcc-ui-locales',
    section: 'OpenID Connect Core §3.1.2.1, §15.1',
    judges: 'With ui_locales of an unknown language, the user sees the login page, and the login succeeds.',
    run: async (party) => void (await withLoginPage(party, { ui_locales: 'se' })),
  },
  {
    name: 'oidcc-claims-locales',
    section: 'OpenID Connect Core §5.2, §15.1',
    judges: 'A request with claims_locales succeeds.',
    run: async (party) => void (await logIn(party, { claims_locales: 'se' })),
  },
];

async function withLoginPage(party: Party, wanted: Readonly<Record<string, string>>): Promise<Login> {
  const login = await logIn(party, wanted);
  party.judge.must(hasLoggedIn(login.authorization), 'the user sees the login page');
  return login;
}
