import type { JWTPayload } from 'jose';
import type { ServerAccess } from '../../../config/schema/admin.ts';
import { scopeWords } from '../../../config/words/scope-words.ts';
import type { JsonObject } from '../../../jwt/json.ts';
import { audienceMismatch } from '../../decide/permit.ts';
import type { LiveGeneration } from '../../generation/generation.ts';
import type { Identity } from '../../message/identity.ts';
import { FETCH_DEADLINE } from '../../server-client/fetch-json.ts';
import { judgeIdToken } from '../../server-client/id-token.ts';
import type { LoginServer } from './login-server.ts';
import type { LoginFault } from './pages.ts';
import type { NewSession } from './sessions.ts';

/** Why there is no session. `detail` is for the log. */
export interface FailedLogin {
  readonly kind: 'failed';
  readonly fault: LoginFault;
  readonly detail: string;
}

export function failedLogin(fault: LoginFault, detail: string): FailedLogin {
  return { kind: 'failed', fault, detail };
}

interface Judged {
  readonly found: LoginServer;
  readonly access: ServerAccess;
  readonly live: LiveGeneration;
  readonly nonce: string;
}

/** Judges the answer of the token endpoint with the verifiers of the file. The token itself is not kept. */
export async function judgeTokens(tokens: JsonObject, judged: Judged): Promise<NewSession | FailedLogin> {
  const { access_token: token, token_type: type } = tokens;
  if (typeof token !== 'string' || typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    return failedLogin('server', 'the token endpoint answers without a bearer token');
  const { found, access, live } = judged;
  const verification = await live.current.verifiers.verifier([access.authorization_server])(token);
  found.server.forget(token);
  if (verification.kind === 'outage') return failedLogin('outage', verification.detail ?? verification.dependency);
  if (verification.kind === 'refused')
    return failedLogin('token', `${verification.code} ${verification.detail ?? ''}`.trim());
  const { identity } = verification;
  const fault = permitFault(identity, judged);
  if (fault !== undefined) return fault;
  const proved = await judgeUser(tokens.id_token, token, judged);
  if (proved?.kind === 'failed') return proved;
  return { identity, server: found.server, name: nameOf(identity, proved?.claims), sid: sidOf(proved?.claims) };
}

/** `openid` is proved by the ID token, and need not be in the access token. */
function permitFault(identity: Identity, { access, found: { block } }: Judged): FailedLogin | undefined {
  const wanted = access.resource ?? (block.audience === 'any' ? undefined : block.audience);
  if (audienceMismatch(wanted, identity.audience) !== undefined)
    return failedLogin('token', `token_audience: the token is not for ${wanted}`);
  const missing = scopeWords(access.scope).filter((word) => word !== 'openid' && !identity.scopes.has(word));
  if (missing.length > 0) return failedLogin('scope', `missing scope: ${missing.join(' ')}`);
  const isListed = access.users === undefined || access.users.includes(identity.subject ?? '');
  return isListed ? undefined : failedLogin('user', 'the user is not in `users`');
}

/** Undefined: the file does not ask for an ID token. */
async function judgeUser(
  idToken: unknown,
  accessToken: string,
  { found, access, nonce }: Judged,
): Promise<FailedLogin | { readonly kind: 'valid'; readonly claims: JWTPayload } | undefined> {
  if (!scopeWords(access.scope).includes('openid')) return undefined;
  if (typeof idToken !== 'string') return failedLogin('server', 'the token endpoint answers without an ID token');
  const keys = await keysOf(found);
  if (typeof keys === 'string') return failedLogin('outage', `no keys for the ID token: ${keys}`);
  const algorithms = found.document.id_token_signing_alg_values_supported;
  const from = { issuer: found.issuer, keys, algorithms: Array.isArray(algorithms) ? algorithms : undefined };
  const judged = await judgeIdToken(idToken, from, { clientId: found.clientId, nonce, accessToken });
  return judged.kind === 'valid' ? judged : failedLogin('token', `the ID token is not valid: ${judged.reason}`);
}

/** A text: why there are none. */
async function keysOf({ server, block, document }: LoginServer): Promise<JsonObject | string> {
  const url = block.jwks_uri ?? document.jwks_uri;
  if (typeof url !== 'string') return 'the metadata have no jwks_uri';
  const fetched = await server.fetch({ url, signal: AbortSignal.timeout(FETCH_DEADLINE), judgeType: false });
  return fetched.kind === 'json' ? fetched.value : fetched.detail;
}

/** Characters for display. */
const LONGEST_NAME = 100;

function nameOf({ subject, clientId }: Identity, claims: JWTPayload = {}): string {
  const names = [claims.name, claims.preferred_username, subject, clientId];
  const name = names.find((each) => typeof each === 'string' && each !== '') as string | undefined;
  return (name ?? 'operator').slice(0, LONGEST_NAME);
}

function sidOf(claims: JWTPayload = {}): string | undefined {
  return typeof claims.sid === 'string' ? claims.sid : undefined;
}
