import type { Finding, Pointer } from '../../words/problem.ts';
import { each, type FileFacts, type PlacedBlock, type RouteFacts, type SchemeCheck } from '../scheme.ts';
import { hasPlainRealm, plainRealm, scopesOfUsers } from '../users-rules.ts';
import type { DigestConfig } from './schema.ts';
import { userFaults } from './users.ts';

type Block = PlacedBlock<DigestConfig>;

export const digestChecks: readonly SchemeCheck<DigestConfig>[] = [
  plainRealm,
  { rule: 'realm of a scheme', findings: each(colonFaults) },
  { rule: 'protection of Digest', findings: each(protectionFaults) },
  { rule: 'protection of streams', findings: each(streamFaults) },
  { rule: 'life of a nonce', findings: each(lifeFaults) },
  scopesOfUsers,
  { rule: 'nonces of several gateways', findings: sharedNonceFaults },
  { rule: 'users of Digest', findings: each(userFaults) },
  { rule: 'sessions of Digest in several workers', findings: each(sessionFaults) },
  { rule: 'hashes of bodies that a proxy does not send', findings: each(bodyHashes) },
];

/** A colon separates the texts in a hash (RFC 7616 §3.4.2) and the fields in a user file. */
function colonFaults({ at, value }: Block): readonly Finding[] {
  if (!hasPlainRealm(value) || !value.realm.includes(':')) return [];
  return [
    {
      pointer: [...at, 'realm'],
      message: 'a realm of Digest must not contain a colon, which separates the fields of user files',
    },
  ];
}

function protectionFaults({ at, value: { qop, algorithms, legacy_no_qop } }: Block): readonly Finding[] {
  const faults: Finding[] = [...twice([...at, 'algorithms'], algorithms), ...twice([...at, 'qop'], qop)];
  if (!qop.includes('auth')) {
    const message = 'with only `auth-int`, browsers fall back to no protection at all, and other clients fail';
    faults.push({ pointer: [...at, 'qop'], message, hint: 'write `qop: [auth, auth-int]`' });
  }
  if (legacy_no_qop && !algorithms.includes('MD5')) {
    const message = 'clients of RFC 2069 support only MD5';
    faults.push({ pointer: [...at, 'legacy_no_qop'], message, hint: 'add `MD5` to `algorithms`' });
  } else if (legacy_no_qop) {
    const message = 'without qop, an attacker who chooses the nonce can easily guess the password from the response';
    const hint = 'remove `legacy_no_qop` once no client needs RFC 2069';
    faults.push({ pointer: [...at, 'legacy_no_qop'], severity: 'warning', message, hint });
  }
  return faults;
}

function twice(at: Pointer, names: readonly string[]): readonly Finding[] {
  return names.flatMap((name, index): Finding[] =>
    names.indexOf(name) === index ? [] : [{ pointer: [...at, index], message: `\`${name}\` occurs twice` }],
  );
}

/** A body must be complete before it is hashed, and a stream never is (RFC 7616 §3.4.3). */
function streamFaults({ at, value, route }: Block): readonly Finding[] {
  const index = value.qop.indexOf('auth-int');
  if (index === -1) return [];
  const why = streams.find(({ isOne }) => isOne(route, value))?.why;
  if (why === undefined) return [];
  const message = `\`auth-int\` needs the whole body, and this route streams: ${why}`;
  const hint = 'write `qop: [auth]` here, or make a separate route for streams';
  return [{ pointer: [...at, 'qop', index], message, hint }];
}

type Stream = { readonly why: string; isOne(route: RouteFacts, digest: DigestConfig): boolean };

const streams: readonly Stream[] = [
  { why: '`idle: none`', isOne: ({ idle }) => idle === 'none' },
  {
    why: 'its `limits.body` is above `auth_int.max_body`',
    isOne: ({ body }, { auth_int }) => body !== undefined && (body === 'none' || body > auth_int.max_body),
  },
  { why: '`match.headers` has `Upgrade`', isOne: ({ isForUpgrades }) => isForUpgrades },
  { why: '`end_with: token`', isOne: ({ endsWithToken }) => endsWithToken },
];

const second = 1000;
const day = 86_400 * second;

/** A nonce that expires at once cannot be used, and a nonce that never expires is as good as a password. */
function lifeFaults({ at, value: { nonce_ttl } }: Block): readonly Finding[] {
  if (nonce_ttl >= 10 * second && nonce_ttl <= day) return [];
  return [
    { pointer: [...at, 'nonce_ttl'], message: 'a nonce must live for at least 10s and at most 1d', hint: 'such as 5m' },
  ];
}

/** Otherwise, each gateway would make its own keys, and reject the nonces of the others. */
function sharedNonceFaults(blocks: readonly Block[], { countersUrl, hasNonceKeys }: FileFacts): readonly Finding[] {
  if (blocks.length === 0 || hasNonceKeys || countersUrl === 'memory') return [];
  return [
    {
      pointer: ['counters'],
      message: 'gateways that share counters must share the keys of their nonces too',
      hint: 'write `nonce_keys` as in the sample file; `openssl rand -base64 32` makes a key',
    },
  ];
}

function sessionFaults({ at, value: { algorithms } }: Block, { workers }: FileFacts): readonly Finding[] {
  const session = algorithms.find((name) => name.endsWith('-sess'));
  if (workers === 1 || session === undefined) return [];
  return [
    {
      pointer: [...at, 'algorithms'],
      severity: 'warning',
      message: `with several \`workers\`, a session of ${session} lasts only one request`,
      hint: 'clients that send a new cnonce with each request, as most do, see no difference; others need `workers: 1`',
    },
  ];
}

function bodyHashes({ at, value: { qop } }: Block, { hasDecision }: FileFacts): readonly Finding[] {
  const index = qop.indexOf('auth-int');
  if (!hasDecision || index === -1) return [];
  const message =
    'a proxy that asks at `decision` does not send the body, so `auth-int` is rejected there except for GET and HEAD';
  return [{ pointer: [...at, 'qop', index], severity: 'warning', message, hint: 'write `qop: [auth]`' }];
}
