import type { JWTPayload } from 'jose';
import { FETCH_DEADLINE, type FetchJson } from '../../gateway/server-client/fetch-json.ts';
import { type ExpectedIdToken, judgeIdToken } from '../../gateway/server-client/id-token.ts';
import { LoginFailure } from './failure.ts';
import type { Provider } from './provider.ts';

export type { ExpectedIdToken } from '../../gateway/server-client/id-token.ts';

/** Verifies the signature and the claims (OpenID Connect Core §3.1.3.7, §3.1.3.8), and returns the claims. */
export async function verifyIdToken(
  idToken: string,
  provider: Provider,
  expected: ExpectedIdToken,
  fetch: FetchJson,
): Promise<JWTPayload> {
  const { issuer, idTokenAlgorithms: algorithms } = provider;
  const judged = await judgeIdToken(idToken, { issuer, algorithms, keys: await keysOf(provider, fetch) }, expected);
  if (judged.kind === 'invalid') throw invalid(judged.reason);
  return judged.claims;
}

async function keysOf({ keysUrl, issuer }: Provider, fetch: FetchJson): Promise<unknown> {
  if (keysUrl === undefined)
    throw invalid(`the metadata of ${issuer} have no jwks_uri, so nothing can verify the signature`);
  const fetched = await fetch({ url: keysUrl, signal: AbortSignal.timeout(FETCH_DEADLINE), judgeType: false });
  if (fetched.kind === 'failed') throw invalid(`${keysUrl}: ${fetched.detail}`);
  return fetched.value;
}

function invalid(reason: string): LoginFailure {
  return new LoginFailure(
    `the ID token is not valid: ${reason}; the command prints no token. Check the clock of this machine and --issuer, or ask the operator of the server`,
  );
}
