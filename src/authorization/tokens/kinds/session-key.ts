import { seconds } from '../../../base/clock.ts';
import { sha256 } from '../../../base/secret.ts';
import { isSessionKey } from '../session-key.ts';
import { mayInspectAny, type TokenKind } from '../token-kind.ts';

/** The key of the browserless exchange. An API may accept it as a credential, so it can be introspected. */
export const sessionKeyKind: TokenKind = {
  recognises: isSessionKey,
  async inspect({ config, clients, clock, records }, token, caller) {
    if (!mayInspectAny(caller)) return undefined;
    const found = await records.findSessionKey(sha256(token), seconds(clock));
    if (found === undefined || (await clients.glance(found.clientId)) === undefined) return undefined;
    return {
      active: true,
      scope: found.scope,
      client_id: found.clientId,
      username: found.username,
      token_type: 'session_key',
      exp: found.expiresAt,
      iat: found.issuedAt,
      sub: found.subject,
      iss: config.issuer,
    };
  },
  owner: ({ clock, records }, token) => records.findSessionKey(sha256(token), seconds(clock)),
  revoke: ({ clock, records }, token, client) =>
    records.revokeSessionKey({ hash: sha256(token), clientId: client.id, now: seconds(clock) }),
};
