import { OAuthError } from '../../oauth/errors.ts';
import type { Service } from '../service.ts';
import { countIssued, tokenResponse } from '../tokens/issue.ts';
import { makeCode } from '../tokens/make-code.ts';
import { makeFirstTokens, newGrantId } from '../tokens/user-grant.ts';
import type { AuthorizationRequest, Decision, ResponseType, ResponseValues } from './authorization-request.ts';

/** RFC 6749 §4.1.2. */
const code: ResponseType = {
  grant: 'authorization_code',
  modes: ['query', 'fragment'],
  challenge: true,
  async respond(service, request, { account, authTime, scope, ...decision }) {
    const { client, audience, redirectUri, redirectUriSent, challenge } = request;
    const bound = { clientId: client.id, audience, redirectUri, redirectUriSent, challenge };
    const { text, record } = makeCode(service, { use: 'token', ...bound, account, authTime, scope });
    const { consent, transaction, premises } = decision;
    const saved = await service.records.saveCode({ code: record, consent, transaction }, premises);
    return hasSaved(saved) ? { code: text } : undefined;
  },
};

/** RFC 6749 §4.2.2: no refresh token, and never in the query, which is sent to the server of the client. */
const token: ResponseType = {
  grant: 'implicit',
  modes: ['fragment'],
  challenge: false,
  async respond(service, request, decision) {
    const { granted, grant, access } = await makeImplicitTokens(service, request, decision);
    const { consent, transaction, premises } = decision;
    const saved = await service.records.saveImplicit({ grant, access: access.record, consent, transaction }, premises);
    if (!hasSaved(saved)) return undefined;
    countIssued(service, 'implicit', access);
    return { ...tokenResponse(service, granted, { access }) } satisfies ResponseValues;
  },
};

/** False: the page counted before, and its client has its answer. */
function hasSaved(saved: 'saved' | 'used' | 'outdated'): boolean {
  if (saved === 'outdated')
    throw new OAuthError('access_denied', { description: 'The session or the consent ended meanwhile.' });
  return saved === 'saved';
}

function makeImplicitTokens(service: Service, { client, audience }: AuthorizationRequest, decision: Decision) {
  const { account, authTime, scope } = decision;
  const grant = { id: newGrantId(), client, account, scope, audience, authTime };
  return makeFirstTokens(service, grant, { scope, audience, refresh: false });
}

/** `response_type` → what it is answered with. */
export const responseTypes: ReadonlyMap<string, ResponseType> = new Map([
  ['code', code],
  ['token', token],
]);
