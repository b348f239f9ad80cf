import type { Static } from 'typebox';
import * as Type from 'typebox';
import { idTokenAlgorithms, subjectTypes } from '../words/openid-choices.ts';
import { duration, flag, list, named, oneOf, record, text } from '../words/schema.ts';
import type { ClaimSource } from './token-settings.ts';

export const Openid = record(
  {
    enabled: flag(
      false,
      'true: the service is an OpenID Provider. A client gets ID tokens if its `scope` contains `openid`.',
    ),
    id_token: record(
      {
        ttl: duration('10m', 'An ID token is valid for this long, at least 1s.'),
        alg: oneOf(
          idTokenAlgorithms,
          'RS256',
          'The service signs ID tokens with this algorithm. `id_token_signed_response_alg` of a client replaces this value.',
        ),
      },
      {},
      'These settings apply to ID tokens.',
    ),
    subject: oneOf(
      subjectTypes,
      'public',
      'public: all clients see the same `sub` of a user. pairwise: each client sees a different `sub`, so clients cannot compare their users. `subject_type` of a client replaces this value.',
    ),
    claims: named(
      text(),
      {},
      "Each claim takes its value from an entry of the user's `claims`: `user.NAME`. Standard claims, such as `email`, need no key here. Without a key, a standard claim takes its value from the user's entry with the same name.",
    ),
    acr: record(
      { pwd: Type.Optional(text(undefined, 'ID tokens have this `acr` after a login with a password.')) },
      {},
      'These are the authentication context classes (`acr`) of this service.',
    ),
    userinfo_signed: flag(
      false,
      'true: the answer of /oauth2/userinfo is a signed JWT for every client. If only some clients need a JWT, set `userinfo_signed_response_alg` of these clients instead.',
    ),
  },
  {},
  'These settings apply to OpenID Connect.',
);

type OpenidFile = Static<typeof Openid>;

/** The loaded form: the sources of claims are parsed. */
export type OpenidConfig = Omit<OpenidFile, 'claims'> & { readonly claims: Readonly<Record<string, ClaimSource>> };

export const Outbound = record(
  {
    private_addresses: list(
      text(),
      [],
      'The service may connect to private addresses in these CIDRs. By default, it connects only to public addresses.',
    ),
    timeout: duration('5s', 'A request may take this long.'),
    tls: Type.Optional(
      record(
        {
          ca: text(
            undefined,
            "This PEM file holds certificate authorities. The service trusts only these authorities for these requests, and not the system's authorities.",
          ),
        },
        undefined,
        "Set this key if a private certificate authority issued the certificates of the receivers or of the clients' servers.",
      ),
    ),
  },
  {},
  'These settings apply to requests that the service sends to the receivers of `security_events` and to URLs of clients, such as `backchannel_logout_uri` and metadata documents.',
);
