import { authorize, parametersOf } from '../authorization.ts';
import { checkError } from '../checks/authorization-answer.ts';
import { errorPageOf } from '../checks/error-page.ts';
import { completed, logIn } from '../happy-flow.ts';
import type { PlanModule } from '../module.ts';
import { lists, type Party } from '../party.ts';
import { posting } from '../provider/registered.ts';

/** The code flow and its variants. */
export const responseModules: readonly PlanModule[] = [
  {
    name: 'oidcc-server',
    section: 'OpenID Connect Core §3.1',
    judges: 'The code flow ends with a valid ID token and an access token for userinfo.',
    run: async (party) => void (await logIn(party)),
  },
  {
    name: 'oidcc-response-type-missing',
    section: 'RFC 6749 §3.1.1',
    judges: 'A request without response_type is refused.',
    run: withoutResponseType,
  },
  {
    name: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    section: 'OpenID Connect Core §3.1.2.1',
    judges: 'A request without a nonce succeeds, and its ID token has no nonce.',
    run: async (party) => void (await logIn(party, { nonce: undefined })),
  },
  {
    name: 'oidcc-ensure-request-with-unknown-parameter-succeeds',
    section: 'RFC 6749 §3.1',
    judges: 'The provider ignores a parameter that it does not know.',
    run: async (party) => void (await logIn(party, { extra: 'foobar' })),
  },
  {
    name: 'oidcc-ensure-post-request-succeeds',
    section: 'OpenID Connect Core §3.1.2.1',
    judges: 'An authorization request may be a POST.',
    run: async (party) => void (await completed(party, await authorize(party, parametersOf(party), 'POST'))),
  },
  {
    name: 'oidcc-server-client-secret-post',
    section: 'OpenID Connect Core §9',
    judges: 'A client may send its secret in the form.',
    run: withSecretInForm,
  },
  {
    name: 'oidcc-ensure-registered-redirect-uri',
    section: 'OpenID Connect Core §3.1.2.1',
    judges: 'An unregistered redirect_uri gets an error page, and no redirect.',
    run: toUnregistered,
  },
];

/** An error page would be right too. A redirect to the client must have the right error. */
async function withoutResponseType(party: Party): Promise<void> {
  const authorization = await authorize(party, parametersOf(party, { response_type: undefined }));
  if (authorization.callback === undefined) errorPageOf(party, authorization, 'response_type');
  else checkError(party, authorization, ['invalid_request', 'unsupported_response_type']);
}

async function withSecretInForm(party: Party): Promise<void> {
  const methods = party.metadata.token_endpoint_auth_methods_supported;
  const isListed = lists(party.metadata, 'token_endpoint_auth_methods_supported', 'client_secret_post');
  party.judge.must(isListed, 'the metadata lists client_secret_post', methods);
  await logIn({ ...party, client: posting });
}

async function toUnregistered(party: Party): Promise<void> {
  const { redirect_uri: uri = '' } = parametersOf(party);
  const authorization = await authorize(party, parametersOf(party, { redirect_uri: `${uri}/unregistered` }));
  party.judge.must(party.provider.site.at('/callback/unregistered').length === 0, 'the browser does not go there');
  errorPageOf(party, authorization, 'redirect');
}
