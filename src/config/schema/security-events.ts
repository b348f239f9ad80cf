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
      'Metrics and the audit log have this name. The service also stores it with each event that waits, so a new name is a new receiver.',
    ),
    url: text(undefined, 'The service posts each event to this URL (RFC 8935).'),
    audience: text(
      undefined,
      'The tokens have this `aud`. If it is the id of a client, the tokens name users and sessions as the ID tokens of this client do.',
    ),
    authorization: Type.Optional(
      text(undefined, 'The service sends this value in Authorization, such as `Bearer …`. Use a variable.'),
    ),
    events: list(
      oneOf(sentEventNames),
      sentEventNames,
      'The receiver gets these events. session-revoked: a session, or the access of one application, ended. credential-change: a user has a new password. token-claims-change: access tokens of a user have other claims now.',
    ),
  },
  undefined,
  'This is a program that must hear of security events.',
);

export const SentSecurityEvents = record(
  {
    receivers: list(EventReceiver, [], 'The service pushes its security events to these receivers.'),
  },
  {},
  'The service sends security event tokens (RFC 8417) with the events of CAEP to other programs: about ended sessions, new passwords and changed claims.',
);

export type EventReceiverConfig = Static<typeof EventReceiver>;
