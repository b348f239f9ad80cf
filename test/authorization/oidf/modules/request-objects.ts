import { type Authorization, answerOf, authorize, type Parameters, parametersOf } from '../authorization.ts';
import { checkError } from '../checks/authorization-answer.ts';
import { errorPageOf } from '../checks/error-page.ts';
import { completed } from '../happy-flow.ts';
import { skipModule } from '../judge.ts';
import type { PlanModule } from '../module.ts';
import { lists, type Party } from '../party.ts';

/** Request objects, by value and by reference (OpenID Connect Core §6). A provider need not support them. */
export const requestObjectModules: readonly PlanModule[] = [
  {
    name: 'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    section: 'OpenID Connect Core §6.2, §3.1.2.6',
    judges: 'A request object by reference is used, or is refused with request_uri_not_supported.',
    run: (party) => usedOrRefused(party, { name: 'request_uri', error: 'request_uri_not_supported' }),
  },
  {
    name: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    section: 'OpenID Connect Core §6.1, §3.1.2.6',
    judges: 'An unsigned request object is used, or is refused with request_not_supported.',
    run: (party) => usedOrRefused(party, { name: 'request', error: 'request_not_supported' }),
  },
  {
    name: 'oidcc-ensure-request-object-with-redirect-uri',
    section: 'OpenID Connect Core §6.1',
    judges: 'The redirect_uri of the object wins over an unregistered one in the query, or the user sees an error.',
    run: withTwoAddresses,
  },
];

interface Passing {
  readonly name: 'request' | 'request_uri';
  readonly error: string;
}

/** Parameters that a request must have outside of the object too (OpenID Connect Core §6.1). */
const outside = ['response_type', 'client_id', 'scope', 'redirect_uri'];

function inObject(parameters: Parameters, name: string, value: string): Parameters {
  const kept = Object.entries(parameters).filter(([key]) => outside.includes(key));
  return { ...Object.fromEntries(kept), [name]: value };
}

/** A JWT with `alg: none`. */
function unsigned(parameters: Parameters): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(parameters)}.`;
}

async function usedOrRefused(party: Party, { name, error }: Passing): Promise<void> {
  const sent = parametersOf(party);
  const value = name === 'request' ? unsigned(sent) : `${party.provider.site.url}/request.jwt`;
  const authorization = { ...(await authorize(party, inObject(sent, name, value))), sent };
  if (isRefused(authorization, error)) refuse(party, authorization, { name, error });
  const isOffered = party.metadata[`${name}_parameter_supported`] === true;
  party.judge.should(isOffered, `the metadata has ${name}_parameter_supported`);
  await completed(party, authorization);
}

function isRefused({ callback }: Authorization, error: string): boolean {
  return callback !== undefined && `${callback.url.search}${callback.body}`.includes(error);
}

/** The suite does not expect the state, because it is only in the object. A state that comes back must be the right one. */
function refuse(party: Party, authorization: Authorization, { name, error }: Passing): never {
  const { judge, mode, metadata } = party;
  const way = authorization.callback?.method === 'POST' ? 'form_post' : 'query';
  judge.must(metadata[`${name}_parameter_supported`] !== true, `the metadata does not offer ${name}`);
  judge.should(way === mode, `the error comes by ${mode}, although only the object asks for it`, way);
  const { state: _, ...stateless } = authorization.sent;
  const hasState = answerOf(party, authorization, way).state !== undefined;
  checkError(party, hasState ? authorization : { ...authorization, sent: stateless }, [error], way);
  skipModule(`the provider answers ${error}`);
}

async function withTwoAddresses(party: Party): Promise<void> {
  const sent = parametersOf(party);
  const query = inObject({ ...sent, redirect_uri: `${sent.redirect_uri}_invalid` }, 'request', unsigned(sent));
  const authorization = await authorize(party, query);
  const isOffered = lists(party.metadata, 'request_object_signing_alg_values_supported', 'none');
  party.judge.must(party.provider.site.at('/callback_invalid').length === 0, 'the browser does not go there');
  if (isOffered && authorization.callback !== undefined) await completed(party, { ...authorization, sent });
  else errorPageOf(party, authorization, 'redirect');
}
