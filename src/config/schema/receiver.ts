import type { Static } from 'typebox';
import * as Type from 'typebox';
import { named, oneOf, record, text } from '../words/schema.ts';
import { listenWithTls } from './listener.ts';

/** Where other authorization servers report that sessions and tokens ended. */
export const Receiver = record(
  {
    listen: listenWithTls(
      'Authorization servers send logout tokens and security events to this address: host:port, or { host, port, tls }.',
      '127.0.0.1:8090',
    ),
    file: Type.Optional(
      text(
        undefined,
        'The gateway writes received events to this file, so that it still knows these events after a restart. If `counters` names a Redis, omit this key. Then the gateway keeps the events in this Redis, and all replicas get them.',
      ),
    ),
  },
  undefined,
  'Authorization servers report logouts (OpenID Connect Back-Channel Logout) and security events (RFC 8935) at this listener. The listener is off by default.',
);

export type ReceiverConfig = Static<typeof Receiver>;

export const BackChannelLogout = record(
  {
    audiences: Type.Array(text(), {
      minItems: 1,
      description: 'The `aud` of a logout token must contain one of these client ids.',
    }),
    relay_to: Type.Optional(
      text(
        undefined,
        'The gateway also sends each accepted logout token to this URL. A server stores only one logout address for each client, and this address is now the address of the gateway. Set this key if the client must also get logout tokens.',
      ),
    ),
  },
  undefined,
  'The server reports logouts at `receiver`, under /backchannel-logout/NAME. The gateway rejects the tokens of an ended session at once.',
);

/** The parts that an event may end. */
export const eventEffects = ['session', 'subject', 'none'] as const;
export type EventEffect = (typeof eventEffects)[number];

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';

interface EventRow {
  readonly uri: string;
  readonly fallback: EventEffect;
}

/** Events that may end tokens, by their key in the file. */
export const securityEvents = {
  'session-revoked': { uri: `${CAEP}session-revoked`, fallback: 'session' },
  'credential-change': { uri: `${CAEP}credential-change`, fallback: 'subject' },
  'token-claims-change': { uri: `${CAEP}token-claims-change`, fallback: 'subject' },
  'account-disabled': { uri: `${RISC}account-disabled`, fallback: 'subject' },
  'account-purged': { uri: `${RISC}account-purged`, fallback: 'subject' },
  'sessions-revoked': { uri: `${RISC}sessions-revoked`, fallback: 'subject' },
} as const satisfies Readonly<Record<string, EventRow>>;

export type SecurityEventName = keyof typeof securityEvents;
export const securityEventNames = Object.keys(securityEvents) as SecurityEventName[];

const Push = record(
  {
    authorization: text(
      undefined,
      'The server sends this value in the Authorization header. If a request does not have this value, the gateway answers 401 and does not read the body. Use a variable.',
    ),
  },
  undefined,
  'The server pushes its events to `receiver`, under /security-events/NAME (RFC 8935).',
);

const Poll = record(
  {
    url: text(undefined, 'The gateway fetches events from this URL (RFC 8936).'),
    authorization: Type.Optional(
      text(undefined, 'The gateway sends this value in the Authorization header. Use a variable.'),
    ),
  },
  undefined,
  'The gateway itself fetches the events from the server, with long polls.',
);

export const SecurityEvents = record(
  {
    audiences: Type.Array(text(), {
      minItems: 1,
      description:
        'These values identify the gateway as a receiver. The `aud` of a security event token must contain one of these values.',
    }),
    issuer: Type.Optional(
      text(undefined, 'This is the `iss` of the security event tokens. The default is the issuer of the server.'),
    ),
    jwks_uri: Type.Optional(
      text(
        undefined,
        'The gateway fetches the keys of the security event tokens from this URL. The default is the key set of the server. Set this key if `issuer` is not the issuer of the server.',
      ),
    ),
    subject_claim: text(
      'sub',
      'This claim of access tokens, such as `uid` or `email`, identifies the user whom an event names.',
    ),
    push: Type.Optional(Push),
    poll: Type.Optional(Poll),
    events: named(
      oneOf(eventEffects),
      {},
      `Each key is the name of an event, and each value says what such an event ends. session: the session that the event names, or all tokens of the user if the event names no session. subject: all tokens of the user that were issued before the event. none: nothing. These are the names and their defaults: ${securityEventNames.map((name) => `${name}: ${securityEvents[name].fallback}`).join(', ')}.`,
    ),
  },
  undefined,
  'The server sends security event tokens (RFC 8417) with the events of CAEP and RISC.',
);

export type BackChannelLogoutConfig = Static<typeof BackChannelLogout>;
export type SecurityEventsConfig = Static<typeof SecurityEvents>;
