import type { Static } from 'typebox';
import * as Type from 'typebox';
import { count, duration, flag, list, oneOf, record, size, text } from '../words/schema.ts';

const Documents = record(
  {
    enabled: flag(
      false,
      'true: the https URL of a metadata document is a client id (OAuth Client ID Metadata Document). The service reads the document when a client first uses the id.',
    ),
    allow: list(
      text(),
      ['https://*'],
      'The service reads only documents whose URL matches one of these patterns. `https://*` matches every host, and `https://*.example.com` matches every name below example.com. A pattern may have a port, and a path, which may end in `/*`.',
    ),
    scope: Type.Optional(
      text(
        undefined,
        'Such a client may request at most this space-delimited scope. By default, it must not request any scope, so it gets no token.',
      ),
    ),
    ttl: duration(
      '1h',
      "The service reads a document again after this time, if the host's answer does not name a time.",
    ),
    max_ttl: duration(
      '24h',
      "The service reads a document again after at most this time. If the host's answer names a shorter time, this shorter time applies, but at least 5m. While the host does not answer, the service uses an old document for at most `max_ttl`.",
    ),
    size: size('5KiB', 'A larger document is rejected.'),
    timeout: duration('5s', 'A host must send its document within this time.'),
    private_addresses: oneOf(
      ['deny', 'outbound'],
      'deny',
      'deny: the service reads documents and keys of such clients at public addresses only. outbound: `outbound.private_addresses` applies too.',
    ),
  },
  {},
  'These settings apply to clients that publish their own metadata.',
);

const Dynamic = record(
  {
    enabled: flag(false, 'true: clients may register at /oauth2/register (RFC 7591).'),
    initial_access_token: oneOf(
      ['required', 'none'],
      'required',
      'required: a registration needs an access token of this service with the scope `clients.register`. none: anyone may register.',
    ),
    scope: Type.Optional(
      text(
        undefined,
        'Such a client may request at most this space-delimited scope. By default, it must not request any scope, so it gets no token.',
      ),
    ),
    ttl_unused: duration(
      '30d',
      'The service removes a client that got no token for this long. A client with a valid grant stays.',
    ),
    per_address: record(
      {
        requests: count(10, 'One address may register this many clients in the window.'),
        per: duration(
          '1h',
          'This is the window. An IPv6 /64 counts as one address. A /56 may register twice as many clients, and a /48 four times as many. All addresses together may register a hundred times as many.',
        ),
      },
      {},
      'This limits registrations. Further requests get 429.',
    ),
  },
  {},
  'These settings apply to dynamic client registration.',
);

export const Registration = record(
  { cimd: Documents, dynamic: Dynamic },
  {},
  'These settings let clients register themselves. No operator has checked such a client, so the consent page always asks.',
);

export type RegistrationConfig = Static<typeof Registration>;
