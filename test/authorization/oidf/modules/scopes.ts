import { authorize, type Parameters, parametersOf } from '../authorization.ts';
import { checkScopeClaims } from '../checks/userinfo.ts';
import { completed, logIn } from '../happy-flow.ts';
import { skipModule } from '../judge.ts';
import type { PlanModule } from '../module.ts';
import { lists, type Party } from '../party.ts';

/** The scopes of OpenID Connect Core §5.4. */
export const scopeModules: readonly PlanModule[] = [
  ...['profile', 'email', 'address', 'phone'].map((scope) => ({
    name: `oidcc-scope-${scope}`,
    section: 'OpenID Connect Core §5.4',
    judges: `The scope ${scope} gives its claims at userinfo, each in the form of the standard.`,
    run: (party: Party) => withScope(party, `openid ${scope}`),
  })),
  {
    name: 'oidcc-scope-all',
    section: 'OpenID Connect Core §5.4',
    judges: 'All four scopes together give the claims of each.',
    run: (party) => withScope(party, 'openid address email phone profile'),
  },
  {
    name: 'oidcc-alternate-happy-flow',
    section: 'RFC 6749 §3.3',
    judges: 'The order of scopes and of parameters makes no difference.',
    run: inAnotherOrder,
  },
];

async function withScope(party: Party, scope: string): Promise<void> {
  skipUnlisted(party, scope);
  const { userinfo } = await logIn(party, { scope });
  checkScopeClaims(party, userinfo, scope);
}

function skipUnlisted({ metadata }: Party, scope: string): void {
  const missing = scope.split(' ').filter((name) => !lists(metadata, 'scopes_supported', name));
  if (missing.length > 0) skipModule(`scopes_supported does not have ${missing.join(', ')}`);
}

async function inAnotherOrder(party: Party): Promise<void> {
  const scope = 'email openid';
  skipUnlisted(party, scope);
  const { userinfo } = await completed(party, await authorize(party, reversed(parametersOf(party, { scope }))));
  checkScopeClaims(party, userinfo, scope);
}

function reversed(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).sort().reverse());
}
