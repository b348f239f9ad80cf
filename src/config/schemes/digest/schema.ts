import * as Type from 'typebox';
import { storageServers } from '../../../base/storage-urls.ts';
import { digestAlgorithmNames, qops } from '../../../http-auth/digest-algorithms.ts';
import { duration, flag, list, oneOf, record, size, text } from '../../words/schema.ts';
import { scopes, storage } from '../users-schema.ts';

export const Digest = record(
  {
    realm: text(undefined, 'In the challenge, and in every stored hash: a change makes all of them worthless.'),
    users: Type.Union(
      [
        text(
          undefined,
          'A file that htdigest writes, user:realm:HEX. A reader of it needs no password, so only its owner may read it. The gateway reads it again when it changes.',
        ),
        record(
          {
            storage,
            encryption_keys: Type.Optional(
              list(
                text(),
                undefined,
                `Those of the authorization service, which open its hashes. Absent: the key file beside the SQLite database; required with \`${storageServers()}\`.`,
              ),
            ),
          },
          undefined,
          'The database to which `gatehouse digest set --config` writes for this realm.',
        ),
      ],
      { description: 'A file, or { storage, encryption_keys } of an authorization service.' },
    ),
    algorithms: Type.Array(oneOf(digestAlgorithmNames), {
      minItems: 1,
      default: ['SHA-256'],
      description:
        'The offered algorithms, each with a challenge. Offer MD5 only for clients without SHA-256 (no FIPS module has it).',
    }),
    qop: Type.Array(oneOf(qops), {
      minItems: 1,
      default: ['auth'],
      description: 'auth, and auth-int, which also protects the body.',
    }),
    nonce_ttl: duration('5m', 'A nonce serves this long; then the client gets a new one without asking its user.'),
    nc: oneOf(
      ['strict', 'window'],
      'strict',
      'strict: the count of a nonce only grows. window: in any order, each once, for clients that send several requests at a time.',
    ),
    legacy_no_qop: flag(false, 'true: also responses of RFC 2069, by MD5, each nonce once.'),
    userhash: flag(true, 'Clients may send a hash in place of the name (RFC 7616 §3.4.4).'),
    bind_ip: flag(false, 'true: a nonce serves only the address that got it.'),
    uri_match: oneOf(
      ['exact', 'normalized'],
      'exact',
      'How `uri` is compared with the request target: byte by byte, or after decoding unreserved characters.',
    ),
    uri_from: Type.Array(oneOf(['X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Prefix']), {
      default: [],
      description:
        'By which fields a trusted proxy that rewrites tells what it received, so that `uri` may be that. It must set each of them itself, or a client could.',
    }),
    auth_int: record({ max_body: size('1MiB', 'A body that is read to be hashed; above: 413.') }, {}, 'For auth-int.'),
    nextnonce: flag(false, 'true: towards the end of its time a nonce is followed by the next one in the answer.'),
    opaque: flag(true, 'The challenge has an opaque value, which clients give back.'),
    domain: Type.Optional(
      list(text(), undefined, 'Where the credentials serve too; absent: everywhere on this server.'),
    ),
    scopes,
  },
  undefined,
  'Digest authentication (RFC 7616) of a route.',
);

export type DigestConfig = Type.Static<typeof Digest>;
/** In a store, not in a file. */
export type DigestUsersInStore = Exclude<DigestConfig['users'], string>;
