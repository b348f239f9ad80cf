import { FETCH_DEADLINE, type FetchJson } from '../../gateway/server-client/fetch-json.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { Provider } from './provider.ts';

/**
 * More claims of the user (OpenID Connect Core §5.3). They only make the summary clearer, so a failure has no effect. Claims of
 * another user are never used (§5.3.2).
 */
export async function readUserinfo(
  { userinfoEndpoint: url }: Provider,
  accessToken: string,
  sub: string | undefined,
  fetch: FetchJson,
): Promise<JsonObject | undefined> {
  if (url === undefined || sub === undefined) return undefined;
  const headers = { authorization: `Bearer ${accessToken}` };
  const fetched = await fetch({ url, headers, signal: AbortSignal.timeout(FETCH_DEADLINE) });
  return fetched.kind === 'json' && fetched.value.sub === sub ? fetched.value : undefined;
}
