import { randomBytes } from 'node:crypto';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { formatScope } from '../../oauth/scope.ts';
import { tokenResponse } from '../issue.ts';
import { makeOpaqueToken, tokenPrefixes } from '../opaque-token.ts';
import type { Service } from '../service.ts';
import { makeFirstTokens } from '../user-grant.ts';
import type { AuthorizationRequest, Decision, ResponseType, ResponseValues } from './authorization-request.ts';

/** RFC 6749 §4.1.2. */
const code: ResponseType = {
  grant: 'authorization_code',
  modes: ['query', 'fragment'],
  challenge: true,
  async respond(service, request, { account, authTime, scope, consent, transaction }) {
    const text = makeOpaqueToken(tokenPrefixes.code);
    const issuedAt = seconds(service.clock);
    const saved = await service.records.saveCode({
      code: {
        hash: sha256(text),
        use: 'token',
        clientId: request.client.id,
        subject: account.subject,
        username: account.username,
        scope: formatScope(scope),
        audience: request.audience,
        redirectUri: request.redirectUri,
        redirectUriSent: request.redirectUriSent,
        challenge: request.challenge,
        authTime,
        grantId: newGrantId(),
        issuedAt,
        expiresAt: issuedAt + Math.floor(service.config.tokens.code.ttl / 1000),
      },
      consent,
      transaction,
    });
    return saved === 'used' ? undefined : { code: text };
  },
};

/** RFC 6749 §4.2.2: no refresh token, and never in the query, which is sent to the server of the client. */
const token: ResponseType = {
  grant: 'implicit',
  modes: ['fragment'],
  challenge: false,
  async respond(service, request, decision) {
    const { granted, grant, access } = await makeImplicitTokens(service, request, decision);
    const { consent, transaction } = decision;
    const saved = await service.records.saveImplicit({ grant, access: access.record, consent, transaction });
    if (saved === 'used') return undefined;
    return { ...tokenResponse(service, granted, { access, grantType: 'implicit' }) } satisfies ResponseValues;
  },
};

function makeImplicitTokens(service: Service, { client, audience }: AuthorizationRequest, decision: Decision) {
  const { account, authTime, scope } = decision;
  const withoutRefresh = { ...client, grantTypes: ['implicit'] };
  const grant = { id: newGrantId(), client: withoutRefresh, account, scope, audience, authTime };
  return makeFirstTokens(service, grant, { scope, audience });
}

function newGrantId(): string {
  return randomBytes(16).toString('base64url');
}

/** `response_type` → what it is answered with. */
export const responseTypes: ReadonlyMap<string, ResponseType> = new Map([
  ['code', code],
  ['token', token],
]);
