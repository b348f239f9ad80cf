import { generateKeyPair, SignJWT } from 'jose';
import type { Wanted } from '../authorization.ts';
import { checkAddresses } from '../checks/discovery.ts';
import { logIn } from '../happy-flow.ts';
import { checkLoggedOut, checkReturned, logOut } from '../logout.ts';
import type { PlanModule } from '../module.ts';
import { endpointOf, type Party } from '../party.ts';
import { shown } from '../provider/exchange.ts';

const section = 'OpenID Connect RP-Initiated Logout §2, §3';

/** RP-initiated logout. */
export const logoutModules: readonly PlanModule[] = [
  {
    name: 'oidcc-rp-initiated-logout-discovery-endpoint-verification',
    section: 'OpenID Connect RP-Initiated Logout §2.1',
    judges: 'The metadata has an end_session_endpoint, and each address uses https.',
    run: discover,
  },
  {
    name: 'oidcc-rp-initiated-logout',
    section,
    judges: 'The browser comes back to the registered address with the state, and the user is logged out.',
    run: (party) => comesBack(party),
  },
  {
    name: 'oidcc-rp-initiated-logout-no-state',
    section,
    judges: 'Without a state, the browser comes back without a state, and the user is logged out.',
    run: (party) => comesBack(party, { state: undefined }),
  },
  {
    name: 'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
    section,
    judges: 'The browser does not go to an unregistered address.',
    run: (party) => staysWith(party, ({ uri }) => ({ post_logout_redirect_uri: `${uri}/unregistered` })),
  },
  {
    name: 'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    section,
    judges: 'The browser does not go to the registered address with another query.',
    run: (party) => staysWith(party, ({ uri }) => ({ post_logout_redirect_uri: `${uri}?foo=bar` })),
  },
  {
    name: 'oidcc-rp-initiated-logout-modified-id-token-hint',
    section,
    judges: 'The browser does not go back if the ID token was changed to alg none.',
    run: (party) => staysWith(party, ({ token }) => ({ id_token_hint: withoutSignature(token) })),
  },
  {
    name: 'oidcc-rp-initiated-logout-bad-id-token-hint',
    section,
    judges: 'The browser does not go back if another key signed the ID token.',
    run: async (party) => {
      const { privateKey } = await generateKeyPair('RS256');
      await staysWith(party, ({ token }) => signedBy(privateKey, token));
    },
  },
  {
    name: 'oidcc-rp-initiated-logout-no-id-token-hint',
    section,
    judges: 'The browser does not go back if nothing names the client.',
    run: (party) => staysWith(party, () => ({ id_token_hint: undefined })),
  },
  {
    name: 'oidcc-rp-initiated-logout-no-params',
    section,
    judges: 'Without parameters, the user is logged out and sees a page of the provider.',
    run: (party) => endsHere(party, { id_token_hint: undefined, state: undefined }),
  },
  {
    name: 'oidcc-rp-initiated-logout-only-state',
    section,
    judges: 'With only a state, the user is logged out and sees a page of the provider.',
    run: (party) => endsHere(party, { id_token_hint: undefined }),
  },
  {
    name: 'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
    section,
    judges: 'Without an address, the user is logged out and sees a page of the provider.',
    run: (party) => endsHere(party, {}),
  },
];

async function discover(party: Party): Promise<void> {
  endpointOf(party, 'end_session_endpoint');
  checkAddresses(party.judge, party.metadata);
}

async function comesBack(party: Party, wanted: Wanted = {}): Promise<void> {
  checkReturned(party, await logOut(party, await logIn(party), wanted));
  await checkLoggedOut(party);
}

interface Given {
  readonly uri: string;
  readonly token: string;
}

/** An error page is right, and so is a question to the user. */
async function staysWith(party: Party, changed: (given: Given) => Wanted | Promise<Wanted>): Promise<void> {
  const { judge, provider } = party;
  const login = await logIn(party);
  const uri = `${provider.site.url}/post_logout_redirect`;
  const { visit, returned } = await logOut(party, login, await changed({ uri, token: String(login.tokens.idToken) }));
  judge.must(returned === undefined, 'the browser does not come back', returned?.url);
  judge.must(visit.url.origin === provider.issuer, 'the browser stays at the provider', visit.url);
  const isRefused = visit.last.status >= 400 && visit.last.status < 500;
  judge.must(isRefused || visit.seen.includes('logout'), 'the user sees an error or a question', shown(visit.last));
}

async function endsHere(party: Party, wanted: Wanted): Promise<void> {
  const { judge, provider } = party;
  const { visit, returned } = await logOut(party, await logIn(party), {
    post_logout_redirect_uri: undefined,
    ...wanted,
  });
  judge.must(returned === undefined, 'the browser does not go to an address that the request does not name');
  const isPage = visit.url.origin === provider.issuer && visit.last.status === 200;
  judge.must(isPage && /signed out/i.test(visit.last.body), 'the user sees that the logout worked', shown(visit.last));
  await checkLoggedOut(party);
}

function withoutSignature(token: string): string {
  const [, payload = ''] = token.split('.');
  return `${Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')}.${payload}.`;
}

async function signedBy(key: Parameters<SignJWT['sign']>[0], token: string): Promise<Wanted> {
  const [head = '', payload = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  const signed = await new SignJWT(JSON.parse(payload)).setProtectedHeader(JSON.parse(head)).sign(key);
  return { id_token_hint: signed };
}
