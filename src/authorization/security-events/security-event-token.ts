import { sha256 } from '../../base/secret.ts';
import { securityEvents } from '../../config/schema/receiver.ts';
import type { EventReceiverConfig } from '../../config/schema/security-events.ts';
import type { EventNotice } from '../../storage/records/records.ts';
import { sidOf } from '../openid/session-id.ts';

export interface TokenNames {
  readonly issuer: string;
  /** The user's `sub` as the receiver sees it. */
  readonly subject: string;
}

/**
 * The claims of a security event token (RFC 8417 §2.2, CAEP §3). All attempts have the same claims, and so the same `jti`.
 * There is no `exp` and no `sub` (Shared Signals Framework §4.1).
 */
export function securityEventClaims(
  notice: EventNotice,
  { audience }: Pick<EventReceiverConfig, 'audience'>,
  names: TokenNames,
): Readonly<Record<string, unknown>> {
  const { id, receiverId, event, createdAt, details } = notice;
  return {
    iss: names.issuer,
    // Two receivers get different tokens, and must not compare them.
    jti: sha256(`jti\n${id}\n${receiverId}`).toString('base64url'),
    iat: createdAt,
    aud: audience,
    sub_id: subjectId(notice, audience, names),
    events: { [securityEvents[event].uri]: { ...details, event_timestamp: createdAt } },
  };
}

/** RFC 9493 §3.2.2, in a complex subject (Shared Signals Framework §3.3). `session`: the `sid` of ID tokens for this audience. */
function subjectId({ sessionId, clientId }: EventNotice, audience: string, { issuer, subject }: TokenNames) {
  return {
    format: 'complex',
    user: { format: 'iss_sub', iss: issuer, sub: subject },
    ...(sessionId !== undefined && { session: { format: 'opaque', id: sidOf(sessionId, audience) } }),
    ...(clientId !== undefined && { application: { format: 'opaque', id: clientId } }),
  };
}
