import { createHash } from 'node:crypto';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { scopeList } from '../../oauth/scope.ts';
import type { CodeClaim, CodeRecord } from '../../storage/records/records.ts';
import { idTokenOf } from '../openid/id-token.ts';
import type { Service } from '../service/service.ts';
import { narrowedAudience, stillRegistered } from '../tokens/granted.ts';
import { countIssued, tokenResponse, withCurrentKey } from '../tokens/issue.ts';
import { type FirstTokens, makeFirstTokens, mayRefresh, minted } from '../tokens/user-grant.ts';
import type { Grant, TokenRequest } from './grant.ts';
import { refusedCode } from './refused-code.ts';

/** RFC 6749 §4.1.3 with RFC 7636. A code works once: the store decides, in the same transaction that saves the tokens. */
export const authorizationCode: Grant = {
  parameters: ['code', 'redirect_uri', 'code_verifier', 'resource'],
  async handle(request, service) {
    const claim = claimOf(request, service);
    const code = await service.records.findCode(claim.hash);
    const isMeant = code?.clientId === claim.clientId && code.use === claim.use;
    const first = isMeant ? await withCurrentKey(() => redeem(request, service, { claim, code })) : undefined;
    if (first === undefined)
      throw refusedCode(request, service, { refusal: await service.records.refuseCode(claim), code });
    countIssued(service, 'authorization_code', first.access);
    return tokenResponse(service, first.granted, first);
  },
};

interface Shown {
  readonly claim: CodeClaim;
  readonly code: CodeRecord;
}

/** Undefined: the user no longer exists. */
async function redeem(request: TokenRequest, service: Service, { claim, code }: Shown) {
  const first = await firstTokens(request, service, code);
  if (first === undefined) return undefined;
  const isLogin = code.sessionId !== undefined;
  const idToken = isLogin ? await idTokenOf(service, first.granted, code, first.access.text) : undefined;
  const redemption = await service.records.redeemCode(claim, minted(first));
  if (redemption === 'rekeyed') return redemption;
  if (redemption !== 'redeemed') throw refusedCode(request, service, { refusal: redemption, code });
  return { ...first, idToken };
}

function claimOf({ client, parameters }: TokenRequest, { clock }: Service): CodeClaim {
  const verifier = parameters.get('code_verifier');
  return {
    hash: sha256(parameters.require('code')),
    use: 'token',
    clientId: client.id,
    redirectUri: parameters.get('redirect_uri'),
    challenge: verifier === undefined ? undefined : createHash('sha256').update(verifier).digest('base64url'),
    now: seconds(clock),
  };
}

/** Undefined: the user no longer exists. */
async function firstTokens(
  { client, parameters }: TokenRequest,
  service: Service,
  code: CodeRecord,
): Promise<FirstTokens | undefined> {
  const account = await service.accounts.bySubject(code.subject);
  if (account === undefined) return undefined;
  const { audience, authTime } = code;
  const scope = scopeList(code.scope);
  const asked = {
    scope: stillRegistered(scope, client.scope),
    audience: narrowedAudience(parameters.all('resource'), audience),
    refresh: mayRefresh(client),
  };
  // Only the first ID token has the nonce (OpenID Connect Core §12.2).
  const origin = { sessionId: code.sessionId, openid: code.openid && { ...code.openid, nonce: undefined } };
  return makeFirstTokens(service, { id: code.grantId, client, account, scope, audience, authTime, ...origin }, asked);
}
