import { seconds } from '../../base/clock.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { parseOAuthParameters } from '../../oauth/parameters.ts';
import type { IdTokenHint } from '../openid/id-token-hint.ts';
import { encodeForm } from './authorization-response.ts';
import type { CarriedParameters } from './carried-parameters.ts';
import { judgeLogout, type LogoutRequest } from './judge-logout.ts';
import type { PageContext } from './page-context.ts';

/** The facts of a posted request that the browser carries to the GET after it. The ID token is not among them. */
interface Carried {
  readonly parameters: CarriedParameters;
  readonly hint?: IdTokenHint;
  /** NumericDate. */
  readonly expiresAt: number;
}

const PURPOSE = 'posted logout';

/** Seconds. The browser follows the redirect at once. */
const PATIENCE = 60;

/** Characters. The text must fit into the head of a request. */
const LONGEST = 8 * 1024;

export function sealLogout({ service, seal }: PageContext, asked: LogoutRequest): string {
  const { hint } = asked;
  const expiresAt = seconds(service.clock) + PATIENCE;
  const carried: Carried = { parameters: withoutToken(asked), expiresAt, ...(hint && { hint }) };
  const sealed = seal.seal(PURPOSE, carried);
  if (sealed.length > LONGEST)
    throw new OAuthError('invalid_request', { description: 'The request is longer than 6 KiB.' });
  return sealed;
}

/** The client's registration may have changed since `sealLogout`, so the request is judged again. */
export async function openLogout({ service, seal }: PageContext, sealed: string): Promise<LogoutRequest> {
  const carried = seal.open(PURPOSE, sealed) as Carried | undefined;
  if (carried === undefined)
    throw new OAuthError('form_forged', { detail: 'the service cannot open the sealed logout request' });
  if (carried.expiresAt <= seconds(service.clock))
    throw new OAuthError('transaction_expired', { detail: 'the posted logout has expired' });
  const asked = await judgeAgain({ service }, carried.parameters);
  return { ...asked, hint: carried.hint };
}

export async function judgeAgain(
  { service }: Pick<PageContext, 'service'>,
  parameters: CarriedParameters,
): Promise<LogoutRequest> {
  return judgeLogout(service, parseOAuthParameters(encodeForm(parameters), service.config.compat));
}

/** Without the ID token, which is not needed any more. */
export function withoutToken({ client, redirectUri, state, uiLocales }: LogoutRequest): CarriedParameters {
  const pairs = [
    ['client_id', client?.id],
    ['post_logout_redirect_uri', redirectUri],
    ['state', state],
    ['ui_locales', uiLocales],
  ] as const;
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
