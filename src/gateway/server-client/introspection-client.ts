import type { AssertClient } from './client-assertion.ts';
import { authenticator, type ClientCredentials } from './client-authentication.ts';
import { FETCH_DEADLINE, type Fetched, type FetchJson } from './fetch-json.ts';

/** Asks an introspection endpoint about a token (RFC 7662 §2.1). */
export type AskAboutToken = (endpoint: string, token: string, signal?: AbortSignal) => Promise<Fetched>;

export function askAboutToken(
  credentials: ClientCredentials,
  fetch: FetchJson,
  assertClient: AssertClient,
): AskAboutToken {
  const authenticate = authenticator(credentials, assertClient);
  return async (url, token, signal = AbortSignal.timeout(FETCH_DEADLINE)) => {
    const who = await authenticate();
    if (who.kind === 'failed') return who;
    const form = new URLSearchParams({ token, token_type_hint: 'access_token', ...who.form });
    return fetch({ url, signal, headers: who.headers, form });
  };
}
