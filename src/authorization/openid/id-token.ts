import { decodeJwt, decodeProtectedHeader } from 'jose';
import { seconds } from '../../base/clock.ts';
import type { IdTokenAlgorithm } from '../../config/schema/authorization.ts';
import { accessTokenHash } from '../../oauth/access-token-hash.ts';
import type { OpenidOrigin } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import type { Granted } from '../tokens/granted.ts';
import { claimsWithin, releasedClaims } from './claims.ts';
import { sidOf } from './session-id.ts';
import { subjectFor } from './subject.ts';

/** The login that an ID token tells a client about. */
interface Login extends OpenidOrigin {
  readonly client: RegisteredClient;
  readonly account: Account;
  /** NumericDate. */
  readonly authTime: number;
}

/** Undefined if the grant has no scope `openid`, or the service is no longer an OpenID Provider. */
export async function idTokenOf(
  service: Service,
  { client, account, scope, authTime }: Granted,
  origin: OpenidOrigin,
  accessToken: string,
): Promise<string | undefined> {
  const isLogin = origin.sessionId !== undefined && account !== undefined && authTime !== undefined;
  if (!service.config.openid.enabled || !isLogin || !scope.includes('openid')) return undefined;
  return makeIdToken(service, { client, account, authTime, ...origin }, accessToken);
}

/** `typ` of ID tokens. A gateway expects a different `typ` in access tokens (RFC 9068 §2.1). */
const TYPE = 'JWT';

/** OpenID Connect Core §2, §3.1.3.6. `accessToken`: the token that the client gets with it. */
function makeIdToken(service: Service, login: Login, accessToken: string): Promise<string> {
  const { client, account, authTime, sessionId, openid = {} } = login;
  const { issuer } = service.config;
  const alg = idTokenAlgorithm(service, client);
  const issuedAt = seconds(service.clock);
  return service.keys.signWith(alg)(TYPE, {
    // The client's registration may have changed since the user allowed them.
    ...releasedClaims(service.config, account, claimsWithin(service.config, client.scope, openid.claims?.id_token)),
    iss: issuer,
    sub: subjectFor(service, client, account.subject),
    aud: client.id,
    azp: client.id,
    iat: issuedAt,
    exp: issuedAt + Math.floor(service.config.openid.id_token.ttl / 1000),
    auth_time: authTime,
    // JSON leaves out what is undefined.
    nonce: openid.nonce,
    acr: openid.acr,
    amr: ['pwd'],
    at_hash: accessTokenHash(alg, accessToken),
    sid: sessionId && sidOf(sessionId, client.id),
  });
}

/** The same ID token for another access token. `idToken`: one that this service has just made. */
export async function idTokenAgain(service: Service, idToken: string, accessToken: string): Promise<string> {
  const { alg } = decodeProtectedHeader(idToken) as { readonly alg: IdTokenAlgorithm };
  const claims = decodeJwt(idToken);
  return service.keys.signWith(alg)(TYPE, { ...claims, at_hash: accessTokenHash(alg, accessToken) });
}

export function idTokenAlgorithm(
  { config }: Pick<Service, 'config'>,
  { idTokenAlg }: Pick<RegisteredClient, 'idTokenAlg'>,
): IdTokenAlgorithm {
  return idTokenAlg ?? config.openid.id_token.alg;
}
