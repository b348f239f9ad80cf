import * as Type from 'typebox';
import { storageServers } from '../../../base/storage-urls.ts';
import { digestAlgorithmNames, qops } from '../../../http-auth/digest-algorithms.ts';
import { duration, flag, list, oneOf, record, size, text } from '../../words/schema.ts';
import { scopes, storage } from '../users-schema.ts';

export const Digest = record(
  {
    realm: text(
      undefined,
      'The challenge and every stored hash contain this realm. If you change the realm, all hashes become invalid.',
    ),
    users: Type.Union(
      [
        text(
          undefined,
          'A file that htdigest writes, with lines user:realm:HEX. Anyone who can read this file can log in without a password, so only its owner and its group may read it. The gateway reads the file again when it changes.',
        ),
        record(
          {
            storage,
            encryption_keys: Type.Optional(
              list(
                text(),
                undefined,
                `These keys of the authorization service decrypt its hashes. The default is the key file beside the SQLite database. The keys are required with \`${storageServers()}\`.`,
              ),
            ),
          },
          undefined,
          'The database to which `gatehouse digest set --config` writes for this realm.',
        ),
      ],
      {
        description:
          'Write the path of a file with the users. For the users in the store of an authorization service, write { storage, encryption_keys }.',
      },
    ),
    algorithms: Type.Array(oneOf(digestAlgorithmNames), {
      minItems: 1,
      default: ['SHA-256'],
      description:
        'The gateway offers these algorithms, with one challenge for each. Offer MD5 only for clients that do not support SHA-256. MD5 does not work with a FIPS module of OpenSSL.',
    }),
    qop: Type.Array(oneOf(qops), {
      minItems: 1,
      default: ['auth'],
      description: 'The gateway offers these values of qop. auth-int also protects the body.',
    }),
    nonce_ttl: duration(
      '5m',
      'A nonce is valid for this long (10s to 1d). After that, the client gets a new nonce, and the user does not have to log in again.',
    ),
    nc: oneOf(
      ['strict', 'window'],
      'strict',
      'strict: the count of a nonce must increase with each request. window: counts may arrive in any order, but each count only once. Use window for clients that send several requests at a time.',
    ),
    legacy_no_qop: flag(
      false,
      'true: the route also accepts responses of RFC 2069, which use MD5 and have no qop. A nonce is valid for only one such response.',
    ),
    userhash: flag(true, 'true: clients may send a hash of the username (RFC 7616 §3.4.4).'),
    bind_ip: flag(false, 'true: a nonce is valid only from the address that got it.'),
    uri_match: oneOf(
      ['exact', 'normalized'],
      'exact',
      'exact: the parameter `uri` must equal the request target, byte by byte. normalized: the gateway decodes unreserved characters in `uri` and in the target before it compares the two.',
    ),
    uri_from: Type.Array(oneOf(['X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Prefix']), {
      default: [],
      description:
        'A trusted proxy that rewrites the target reports the original target in these headers. The parameter `uri` may then equal the original target instead of the rewritten target. The proxy must set each of these headers on every request. Otherwise a client could set them.',
    }),
    auth_int: record(
      { max_body: size('1MiB', 'The gateway hashes bodies of at most this size. A larger body gets 413.') },
      {},
      'This limit applies to the body of requests with auth-int.',
    ),
    nextnonce: flag(false, 'true: shortly before a nonce expires, an answer contains the next nonce.'),
    opaque: flag(true, 'true: the challenge has an opaque value, which clients return.'),
    domain: Type.Optional(
      list(
        text(),
        undefined,
        'The challenge tells clients that the credentials are valid for these URIs. By default, the credentials are valid for every URI of this server.',
      ),
    ),
    scopes,
  },
  undefined,
  'The route accepts Digest authentication (RFC 7616).',
);

export type DigestConfig = Type.Static<typeof Digest>;
/** The users are in a store, not in a file. */
export type DigestUsersInStore = Exclude<DigestConfig['users'], string>;
