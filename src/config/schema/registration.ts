import type { Static } from 'typebox';
import * as Type from 'typebox';
import { count, duration, flag, list, oneOf, record, size, text } from '../words/schema.ts';

const Documents = record(
  {
    enabled: flag(
      false,
      'true: a client may use the https URL of its metadata document as its client id (OAuth Client ID Metadata Document). The service reads the document when it first gets this client id.',
    ),
    allow: list(
      text(),
      ['https://*'],
      'The service reads only documents whose URL matches one of these patterns. `https://*` matches every host, and `https://*.example.com` matches every name below example.com. A pattern may have a port, and a path, which may end in `/*`.',
    ),
    scope: Type.Optional(
      text(
        undefined,
        'A client with such a document may request at most this space-delimited scope. By default, such a client is not allowed to request any scope, so it gets no token.',
      ),
    ),
    ttl: duration(
      '1h',
      "If the host's answer has no lifetime (`Cache-Control` or `Expires`), the service reads the document again after this time (at least 5m).",
    ),
    max_ttl: duration(
      '24h',
      "The service reads a document again after at most this time. If the host's answer has a shorter lifetime, the service uses the shorter lifetime, but at least 5m. While the host does not answer, the service uses an old document for at most `max_ttl`. The value is at least `ttl`.",
    ),
    size: size('5KiB', 'The service rejects a larger document. The value is from 1KiB to 64KiB.'),
    timeout: duration('5s', 'A host must send its document within this time (100ms to 1m).'),
    private_addresses: oneOf(
      ['deny', 'outbound'],
      'deny',
      'deny: the service reads documents and keys of these clients only at public addresses. outbound: the service may also use the private addresses in `outbound.private_addresses`.',
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
        'A client that registered itself may request at most this space-delimited scope. By default, such a client is not allowed to request any scope, so it gets no token.',
      ),
    ),
    ttl_unused: duration(
      '30d',
      'The service removes a client that got no token for this long (at least 1h). A client with a valid grant stays.',
    ),
    per_address: record(
      {
        requests: count(10, 'One address may register this many clients in the window.'),
        per: duration(
          '1h',
          'This is the length of the window (1s to 1d). An IPv6 /64 counts as one address. An IPv6 /56 may register twice as many clients, and a /48 four times as many. All addresses together may register a hundred times as many clients as one address.',
        ),
      },
      {},
      'This is the limit for registrations. Further requests get 429.',
    ),
  },
  {},
  'These settings apply to dynamic client registration.',
);

export const Registration = record(
  { cimd: Documents, dynamic: Dynamic },
  {},
  'These settings let clients register themselves. No operator checked such a client, so the service shows the consent page for each of its requests.',
);

export type RegistrationConfig = Static<typeof Registration>;
