import { refused } from '../../../base/verdict.ts';
import { type HtdigestEntry, parseHtdigest } from '../../../config/files/htdigest.ts';
import { readUserFile } from '../../../config/files/user-file.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import type { DigestConfig } from '../../../config/schemes/digest/schema.ts';
import { digestChallenge } from '../../../http-auth/digest.ts';
import { digestAlgorithmNames, digestAlgorithms } from '../../../http-auth/digest-algorithms.ts';
import type { CredentialCode } from '../../message/codes.ts';
import type { HttpScheme } from '../http-scheme.ts';
import { type Nonces, openNonces, openUsedNonces } from '../nonces.ts';
import type { Assumed, GatewayScheme, SchemeScene } from '../scheme.ts';
import { userIdentities } from '../user-identity.ts';
import { userSource } from '../user-source.ts';
import { openUsersInStore, storeOf } from '../users-in-store.ts';
import { usersOfFile } from '../users-of-file.ts';
import { digestScheme } from './digest-scheme.ts';
import { type DigestUsers, digestUsers, digestUsersOfStore } from './digest-users.ts';

/** Digest (RFC 7616). */
export const digest: GatewayScheme<DigestConfig> = {
  open,
  assume,
  describe: ({ issuer }) => `verified as a user of ${issuer}`,
  countsUses: true,
  dependencies: ({ users }) => storeOf('digest', users),
};

/** Only the nonces need to outlive a reload. */
function open(config: DigestConfig, scene: SchemeScene): HttpScheme {
  const { throttle, counters, countedAt } = scene;
  const { share } = scene.config.limits;
  const [users, nonces] = [usersOf(config, scene), noncesOf(scene)];
  return digestScheme({ config, users, nonces, countedAt, throttle, share, useNonce: counters.useNonce });
}

function usersOf({ users: source, realm }: DigestConfig, scene: SchemeScene): DigestUsers {
  if (typeof source !== 'string') return digestUsersOfStore(openUsersInStore(scene, 'digest', source), realm);
  return digestUsers(usersOfFile<readonly HtdigestEntry[]>(scene, source, parseHtdigest, []), realm);
}

function noncesOf({ kept, lease, clock, nonceStart, config: { nonce_keys: keys } }: SchemeScene): Nonces {
  const used = kept.usedNonces.take(lease, null, () => openUsedNonces(clock, nonceStart));
  return kept.nonces.take(lease, keys ?? null, () => openNonces(keys, used));
}

function assume(config: DigestConfig, _gateway: GatewayConfig, directory?: string): Assumed {
  const { realm, scopes, algorithms, qop, userhash, domain, users } = config;
  const offered = digestAlgorithmNames.filter((name) => algorithms.includes(name));
  const shared = { realm, qop, userhash, domain: domain?.join(' '), nonce: 'NONCE', opaque: 'OPAQUE', stale: false };
  return {
    identityOf: userIdentities({ scheme: 'digest', realm, scopes }),
    challenges: () => offered.map((algorithm) => digestChallenge({ ...shared, algorithm })),
    source: userSource(users),
    scopes,
    ...(directory !== undefined && typeof users === 'string' && { refusalOf: refusalsIn(users, directory, config) }),
  };
}

/**
 * Why an assumed user cannot log in. An unreadable file gives no reason here, because `check` reports it. A user who is
 * not in the file is assumed.
 */
function refusalsIn(users: string, directory: string, { realm, algorithms }: DigestConfig) {
  const read = readUserFile(users, { directory }, parseHtdigest);
  const entries = read.ok ? read.users.filter((entry) => entry.realm === realm) : [];
  const offered: ReadonlySet<string> = new Set(algorithms.map((name) => digestAlgorithms[name].stored));
  return (username: string) => {
    const kept = entries.filter((entry) => entry.username === username).map(({ algorithm }) => algorithm);
    if (kept.length === 0 || kept.some((algorithm) => offered.has(algorithm))) return undefined;
    const told = `the file hashes the password of this user with ${kept.join(' and ')}, but the route offers ${[...offered].join(' and ')}`;
    return refused<CredentialCode>(
      'password_wrong',
      `${told}: add a hash that the route offers, or change \`digest.algorithms\``,
    );
  };
}
