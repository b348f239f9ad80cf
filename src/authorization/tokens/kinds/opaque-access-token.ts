import { seconds } from '../../../base/clock.ts';
import { sha256 } from '../../../base/secret.ts';
import { activeAnswer } from '../../../oauth/introspection.ts';
import { isOpaqueToken, tokenPrefixes } from '../opaque-token.ts';
import { mayInspectAny, type TokenKind } from '../token-kind.ts';

export const opaqueAccessToken: TokenKind = {
  recognises: (token) => isOpaqueToken(token, tokenPrefixes.accessToken),
  async inspect({ config, clients, clock, records }, token, caller) {
    if (!mayInspectAny(caller)) return undefined;
    const found = await records.findAccessToken(sha256(token), seconds(clock));
    if (found === undefined || (await clients.glance(found.clientId)) === undefined) return undefined;
    const answer = activeAnswer(found, config.issuer);
    return config.compat.app_id_claim ? { ...answer, app_id: found.clientId } : answer;
  },
  owner: ({ clock, records }, token) => records.findAccessToken(sha256(token), seconds(clock)),
  revoke: ({ clock, records }, token, client) =>
    records.revokeAccessToken({ hash: sha256(token), clientId: client.id, now: seconds(clock) }),
};
