import { OAuthError } from '../../oauth/errors.ts';
import type { OpenidOrigin } from '../../storage/records/records.ts';
import { claimsWithin } from '../openid/claims.ts';
import type { Service } from '../service/service.ts';
import { countIssued, tokenResponse, withCurrentKey } from '../tokens/issue.ts';
import { makeCode } from '../tokens/make-code.ts';
import { makeFirstTokens, minted, newGrantId } from '../tokens/user-grant.ts';
import type { AuthorizationRequest, ConsentDecision, ResponseType, ResponseValues } from './authorization-request.ts';

/** RFC 6749 §4.1.2. */
const code: ResponseType = {
  grant: 'authorization_code',
  modes: ['query', 'fragment', 'form_post'],
  challenge: true,
  async respond(service, request, { account, authTime, scope: allowed, ...decision }) {
    const { client, audience, redirectUri, redirectUriSent, challenge } = request;
    const scope = request.scope.filter((name) => allowed.includes(name));
    const bound = { clientId: client.id, audience, redirectUri, redirectUriSent, challenge };
    const origin = openidOriginOf(service, request, { sessionId: decision.sessionId, allowed });
    const { text, record } = makeCode(service, { use: 'token', ...bound, ...origin, account, authTime, scope });
    const { consent, transaction, premises } = decision;
    const saved = await service.records.saveCode({ code: record, consent, transaction }, premises);
    return hasSaved(saved) ? { code: text } : undefined;
  },
};

/** RFC 6749 §4.2.2: no refresh token. The response is never in the query, because the client's server would receive it. */
const token: ResponseType = {
  grant: 'implicit',
  modes: ['fragment', 'form_post'],
  challenge: false,
  async respond(service, request, decision) {
    const { saved, granted, access } = await withCurrentKey(() => saveImplicit(service, request, decision));
    if (!hasSaved(saved)) return undefined;
    countIssued(service, 'implicit', access);
    return { ...tokenResponse(service, granted, { access }) } satisfies ResponseValues;
  },
};

async function saveImplicit(service: Service, request: AuthorizationRequest, decision: ConsentDecision) {
  const first = await makeImplicitTokens(service, request, decision);
  const { consent, transaction, premises } = decision;
  const saved = await service.records.saveImplicit({ ...minted(first), consent, transaction }, premises);
  return saved === 'rekeyed' ? saved : { ...first, saved };
}

/** False: the page was already used, and its client has its answer. */
function hasSaved(saved: 'saved' | 'used' | 'outdated'): boolean {
  if (saved === 'outdated')
    throw new OAuthError('access_denied', { description: 'The session or the consent ended during the request.' });
  return saved === 'saved';
}

function makeImplicitTokens(service: Service, request: AuthorizationRequest, decision: ConsentDecision) {
  const { client, audience } = request;
  const { account, authTime } = decision;
  const scope = request.scope.filter((name) => decision.scope.includes(name));
  const grant = { id: newGrantId(), client, account, scope, audience, authTime };
  return makeFirstTokens(service, grant, { scope, audience, refresh: false });
}

interface Allowed {
  readonly sessionId: string;
  /** The scopes that the user allowed, including those of single claims. */
  readonly allowed: readonly string[];
}

/** OpenID Connect's facts of a code. Claims that the user did not allow are left out. */
function openidOriginOf(
  { config }: Service,
  { openid }: AuthorizationRequest,
  { sessionId, allowed }: Allowed,
): OpenidOrigin {
  if (openid === undefined) return {};
  const { id_token, userinfo } = openid.claims;
  const claims = {
    id_token: claimsWithin(config, allowed, id_token),
    userinfo: claimsWithin(config, allowed, userinfo),
  };
  const claimScopes = openid.claimScopes.filter((scope) => allowed.includes(scope));
  return { sessionId, openid: { nonce: openid.nonce, acr: openid.acr, claims, claimScopes } };
}

/** `response_type` → how to answer it. */
export const responseTypes: ReadonlyMap<string, ResponseType> = new Map([
  ['code', code],
  ['token', token],
]);
