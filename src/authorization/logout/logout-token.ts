import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import type { LogoutNotice } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import { idTokenAlgorithm } from '../openid/id-token.ts';
import { sidOf } from '../openid/session-id.ts';
import { subjectFor } from '../openid/subject.ts';
import type { Service } from '../service/service.ts';

/** Seconds (OpenID Connect Back-Channel Logout §2.4 recommends two minutes at most). */
const LIFETIME = 120;

/**
 * OpenID Connect Back-Channel Logout §2.4. Each attempt has a new token, and all attempts for one session at one client have
 * the same `jti`.
 */
export function makeLogoutToken(
  service: Service,
  client: RegisteredClient,
  { sessionId, clientId, subject }: LogoutNotice,
): Promise<string> {
  const issuedAt = seconds(service.clock);
  return service.keys.signWith(idTokenAlgorithm(service, client))('logout+jwt', {
    iss: service.config.issuer,
    sub: subjectFor(service, client, subject),
    aud: client.id,
    iat: issuedAt,
    exp: issuedAt + LIFETIME,
    jti: sha256(`jti\n${sessionId}\n${clientId}`).toString('base64url'),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: sidOf(sessionId, clientId),
  });
}
