import { OAuthError } from '../../oauth/errors.ts';
import { type Parameters, type ReadParameters, readParameters } from '../../oauth/parameters.ts';
import type { Service } from '../service/service.ts';
import { encodeForm } from './authorization-response.ts';

/** The parameters of an authorization request that pages pass on to each other. Each page validates them again. */
export type CarriedParameters = readonly (readonly [name: string, value: string])[];

const names = [
  'response_type',
  'client_id',
  'redirect_uri',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'prompt',
  'max_age',
  'login_hint',
  'nonce',
  'claims',
  'id_token_hint',
  'ui_locales',
] as const;

/** Characters. The parameters must fit into the head of a request as a query, and into a form in sealed form. */
const longest = 8 * 1024;

export function carried(parameters: Parameters): CarriedParameters {
  const pairs = names.flatMap((name) => parameters.all(name).map((value) => [name, value] as const));
  if (encodeForm(pairs).length > longest)
    throw new OAuthError('invalid_request', { description: 'The request is longer than 8 KiB.' });
  return pairs;
}

export function readCarried({ config }: Service, parameters: CarriedParameters): ReadParameters {
  return readParameters(encodeForm(parameters), { ...config.compat });
}

/** After a login, the same request does not ask for a login again. */
export function afterLogin(parameters: CarriedParameters): CarriedParameters {
  return parameters.flatMap(([name, value]): CarriedParameters => {
    if (name === 'prompt') return withoutLogin(value);
    return name === 'max_age' && Number(value) === 0 ? [] : [[name, value]];
  });
}

function withoutLogin(prompt: string): CarriedParameters {
  const rest = prompt.split(' ').filter((value) => value !== 'login' && value !== 'select_account');
  return rest.length === 0 ? [] : [['prompt', rest.join(' ')]];
}
