import { LONGEST_STEP, seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { scopeList } from '../../oauth/scope.ts';
import type { RefreshRotation, RefreshTokenRecord } from '../../storage/records/records.ts';
import { userKeysUntil } from '../keys/user-keys.ts';
import { idTokenOf } from '../openid/id-token.ts';
import type { Service } from '../service/service.ts';
import { type Granted, narrowedAudience, refreshedScope } from '../tokens/granted.ts';
import {
  type AccessToken,
  countIssued,
  makeAccessToken,
  makeRefreshToken,
  type TokenResponse,
  tokenResponse,
  withCurrentKey,
} from '../tokens/issue.ts';
import { isOpaqueToken, tokenPrefixes } from '../tokens/opaque-token.ts';
import { carrying, extendedToken } from '../tokens/user-grant.ts';
import type { Grant, TokenRequest } from './grant.ts';
import { keepAnswer, repeatAnswer } from './repeated-answer.ts';
import { signedAgain } from './signed-again.ts';

/**
 * RFC 6749 §6, with rotation at every use (RFC 9700 §4.14.2). If several requests race, the store decides which one is first.
 */
export const refreshToken: Grant = {
  parameters: ['refresh_token', 'scope', 'resource'],
  async handle(request, service) {
    const presented = request.parameters.require('refresh_token');
    if (!isOpaqueToken(presented, tokenPrefixes.refreshToken)) throw invalid('malformed');
    const hash = sha256(presented);
    const found = await service.records.findRefreshToken(hash);
    if (found === undefined) throw invalid('unknown');
    const held: Held = { ...request, service, presented, hash, found };
    refuseOthers(held);
    // An expired token that was used means an expired grant, so a thief can have no valid token of it.
    if (found.expiresAt <= seconds(service.clock)) throw invalid('expired');
    if (found.issuedAt > seconds(service.clock) + LONGEST_STEP) throw invalid('issued by a clock that was far ahead');
    if (found.usedAt !== undefined) return usedBefore(held, found.usedAt);
    return rotate(held);
  },
};

/** A request with its refresh token. */
interface Held extends TokenRequest {
  readonly service: Service;
  readonly presented: string;
  readonly hash: Uint8Array;
  readonly found: RefreshTokenRecord;
}

function refuseOthers(held: Held): void {
  const { grant, grantRevoked } = held.found;
  if (grant.clientId !== held.client.id) {
    recordRefused(held, "another client's token");
    throw invalid('belongs to another client');
  }
  if (grantRevoked) throw invalid('revoked');
}

function recordRefused({ client, caller, service, found }: Held, detail: string): void {
  const facts = { client_id: client.id, grant_id: found.grant.id, detail };
  service.audit.record('refresh_refused', { ...facts, address: caller.ip, request_id: caller.id });
}

async function rotate(held: Held): Promise<TokenResponse> {
  const rotated = await withCurrentKey(() => tryToRotate(held));
  if (rotated === 'lost') return overtaken(held);
  countIssued(held.service, 'refresh_token', rotated.access);
  return rotated.response;
}

async function tryToRotate(held: Held) {
  const { client, service, presented, hash, found } = held;
  const granted = await grantedAgain(held);
  const extended = await extendedToken(service, { presented, found, granted });
  const access = extended ?? (await makeAccessToken(service, granted));
  const { grant, scope, audience } = found;
  const successor = carrying(service, makeRefreshToken(service, { grant, scope, audience }), access, client);
  const idToken = await idTokenOf(service, granted, grant, access.text);
  const response = tokenResponse(service, granted, { access, refresh: successor, idToken });
  const outcome = await service.records.rotateRefreshToken({
    hash,
    clientId: client.id,
    now: seconds(service.clock),
    successor: successor.record,
    response: keepAnswer(held, { response, expiresAt: access.expiresAt }),
    ...tokenChange(access, extended),
    tokensUntil: access.expiresAt,
    signedBy: access.signedBy,
  });
  return outcome === 'rotated' ? { access, response } : outcome;
}

function tokenChange(
  access: AccessToken,
  extended: AccessToken | undefined,
): Pick<RefreshRotation, 'access' | 'extended'> {
  if (extended?.record === undefined) return { access: access.record, extended: undefined };
  return { access: undefined, extended: { hash: extended.record.hash, expiresAt: extended.expiresAt } };
}

/** RFC 6749 §6: never more than the user granted, and never more than the client's current registration. */
async function grantedAgain({ client, parameters, service, found }: Held): Promise<Granted> {
  const { grant } = found;
  const account = await service.accounts.bySubject(grant.subject);
  if (account === undefined) throw invalid('the user no longer exists');
  return {
    client,
    account,
    subject: grant.subject,
    scope: refreshedScope(parameters.get('scope'), scopeList(found.scope), client.scope),
    audience: narrowedAudience(parameters.all('resource'), found.audience),
    grantId: grant.id,
    authTime: grant.authTime,
    notAfter: grant.expiresAt,
  };
}

/** After the lookup and before the deciding statement, another request was first, or the grant ended. */
async function overtaken(held: Held): Promise<TokenResponse> {
  const found = await held.service.records.findRefreshToken(held.hash);
  if (found?.usedAt === undefined) throw invalid('ended meanwhile');
  const now: Held = { ...held, found };
  refuseOthers(now);
  return usedBefore(now, found.usedAt);
}

/**
 * The cause may be a lost answer, a client that asks twice at once, or a thief. For a lost answer the same tokens are sent
 * again, if the client has a retry window. A double request is only refused. Otherwise all tokens of the grant are revoked.
 */
async function usedBefore(held: Held, usedAt: number): Promise<TokenResponse> {
  const { client, caller, service, found } = held;
  const repeated = repeatAnswer(held, usedAt);
  if (repeated !== undefined) return signedAgain(service, repeated);
  const now = seconds(service.clock);
  if (now - usedAt <= service.config.tokens.refresh.reuse_leeway / 1000) {
    recordRefused(held, 'used a moment ago');
    throw invalid('used a moment ago');
  }
  const { id: grantId, subject } = found.grant;
  await service.records.endStolenFamily({ grantId, subject, now, keysUntil: userKeysUntil(service.config, now) });
  const facts = { client_id: client.id, sub: found.grant.subject, grant_id: found.grant.id };
  service.audit.record('refresh_reuse', { ...facts, address: caller.ip, request_id: caller.id });
  throw invalid('used before: all tokens of this grant are revoked');
}

function invalid(detail: string): OAuthError {
  return new OAuthError('invalid_grant', { detail: `refresh token: ${detail}` });
}
