import type { Static } from 'typebox';
import * as Type from 'typebox';
import { list, oneOf, record, text } from '../words/schema.ts';
import type { SecurityEventName } from './receiver.ts';

/** The events that this service causes. */
export const sentEventNames = [
  'session-revoked',
  'credential-change',
  'token-claims-change',
] as const satisfies readonly SecurityEventName[];

const EventReceiver = record(
  {
    id: text(
      undefined,
      'Metrics and the audit log show this name. The service stores the name with each event until the receiver gets the event. After you change the name, the receiver does not get the events that have the old name.',
    ),
    url: text(undefined, 'The service posts each event to this URL (RFC 8935).'),
    audience: text(
      undefined,
      'The security event tokens have this `aud`. This value may be the id of a client. Then the tokens have the same `sub` and `sid` values as the ID tokens of this client.',
    ),
    authorization: Type.Optional(
      text(undefined, 'The service sends this value in the Authorization header, such as `Bearer …`. Use a variable.'),
    ),
    events: list(
      oneOf(sentEventNames),
      sentEventNames,
      'The receiver gets these events. session-revoked: a session, or the access of one application, ended. credential-change: a user has a new password. token-claims-change: the claims in access tokens of a user changed.',
    ),
  },
  undefined,
  'This program gets security events.',
);

export const SentSecurityEvents = record(
  {
    receivers: list(EventReceiver, [], 'The service pushes its security events to these receivers.'),
  },
  {},
  'The service reports ended sessions, new passwords and changed claims to other programs. It sends security event tokens (RFC 8417) with the events of CAEP.',
);

export type EventReceiverConfig = Static<typeof EventReceiver>;
