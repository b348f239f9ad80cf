import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import {
  type BasicConfig,
  type DigestConfig,
  type GatewayConfig,
  type RouteConfig,
  schemesOf,
} from '../../config/gateway.ts';
import { type HtdigestEntry, parseHtdigest } from '../../config/htdigest.ts';
import { type Htpasswd, parseHtpasswd } from '../../config/htpasswd.ts';
import type { DigestUsersInStore } from '../../config/http-schemes.ts';
import type { Place } from '../../config/referred-file.ts';
import { readUserFile } from '../../config/user-file.ts';
import type { ParsedUsers } from '../../config/user-lines.ts';
import type { Counters } from '../../storage/counters.ts';
import { placeOf } from '../../storage/counters-open.ts';
import { buildLoginThrottle, type Throttle } from '../../storage/counters-throttle.ts';
import type { UserKind } from '../../storage/read-users.ts';
import { openUserFacts } from '../../storage/read-users-open.ts';
import type { Kept } from '../lifecycle/kept.ts';
import type { Lease } from '../lifecycle/lease.ts';
import { faultLog } from '../verify/fault-log.ts';
import { basicScheme } from './basic-scheme.ts';
import { type BasicUsers, basicUsersOfFile, basicUsersOfStore } from './basic-users.ts';
import { digestScheme } from './digest-scheme.ts';
import { type DigestUsers, digestUsers, digestUsersOfStore } from './digest-users.ts';
import type { HttpScheme } from './http-scheme.ts';
import type { Nonces } from './nonces.ts';
import { openNonces, openUsedNonces } from './nonces.ts';
import { type UserStore, userStore } from './user-store.ts';

export interface SchemeDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  readonly kept: Kept;
  readonly counters: Counters;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
  /** Files that were read before, as in `Place`. */
  readonly contents?: Place['contents'];
}

/** Basic and Digest of the routes of one loaded file. */
export interface Schemes {
  /** In the order of their challenges. */
  of(route: RouteConfig): readonly HttpScheme[];
  /** Looks at the stores of users; settles when each was looked at once, and never rejects. */
  start(): Promise<void>;
  /** Every store was looked at; and where no authorization server is there beside them, not all are out of reach. */
  ready(): boolean;
}

export function openSchemes(config: GatewayConfig, dependencies: SchemeDependencies, lease: Lease): Schemes {
  const { kept, clock, counters } = dependencies;
  const nonces = () => {
    const used = kept.usedNonces.take(lease, null, () => openUsedNonces(clock));
    return kept.nonces.take(lease, config.nonce_keys ?? null, () => openNonces(config.nonce_keys, used));
  };
  const { max_failures: maxFailures, window } = config.login;
  const throttle = buildLoginThrottle({ counters, maxFailures, window });
  const counted = [config.counters, config.login];
  const stores = new Set<UserStore>();
  const countedAt = placeOf(config.counters);
  const scene: Scene = { ...dependencies, lease, realm: config.realm, counted, countedAt, throttle, nonces, stores };
  const isAlone = Object.keys(config.authorization_servers).length === 0;
  return {
    of: (route) =>
      schemesOf(route.auth).flatMap((name) => {
        if (name === 'basic' && route.basic !== undefined) return [openBasic(scene, route.basic)];
        return name === 'digest' && route.digest !== undefined ? [openDigest(scene, route.digest)] : [];
      }),
    start: async () => void (await Promise.all([...stores].map((store) => store.start()))),
    ready: () => isReady([...stores], isAlone),
  };
}

function isReady(stores: readonly UserStore[], isAlone: boolean): boolean {
  if (!stores.every((store) => store.tried())) return false;
  return !isAlone || stores.length === 0 || stores.some((store) => store.usable());
}

interface Scene extends SchemeDependencies {
  readonly lease: Lease;
  readonly realm: string;
  /** Where failures are counted, and up to how many. */
  readonly counted: unknown;
  /** Where uses of nonces are. */
  readonly countedAt: string;
  readonly throttle: Throttle;
  readonly nonces: () => Nonces;
  /** Those that were opened. */
  readonly stores: Set<UserStore>;
}

/** Kept over a reload only where its users are the same too: a password that was changed must not go on being right. */
function openBasic(scene: Scene, config: BasicConfig): HttpScheme {
  const { kept, lease, clock, counted, throttle } = scene;
  const realm = config.realm ?? scene.realm;
  const [users, print] = basicUsers(scene, config);
  return kept.schemes.take(lease, ['basic', realm, config, print, counted], () =>
    basicScheme({ config, realm, users, judge: kept.passwords, throttle, clock }),
  );
}

function basicUsers(scene: Scene, { users: source }: BasicConfig): readonly [users: BasicUsers, print: string] {
  if (typeof source !== 'string') return [basicUsersOfStore(openStore(scene, 'basic', source)), ''];
  const users = usersOf<Htpasswd>(scene, source, parseHtpasswd, new Map());
  return [basicUsersOfFile(users), sha256(JSON.stringify([...users], octets)).toString('base64')];
}

function octets(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Nothing of it needs to be kept but the nonces. */
function openDigest(scene: Scene, config: DigestConfig): HttpScheme {
  const { throttle, nonces, counters, countedAt } = scene;
  const users = digestUsersOf(scene, config);
  return digestScheme({ config, users, nonces: nonces(), countedAt, throttle, useNonce: counters.useNonce });
}

function digestUsersOf(scene: Scene, { users: source, realm }: DigestConfig): DigestUsers {
  if (typeof source !== 'string') return digestUsersOfStore(openStore(scene, 'digest', source), realm);
  return digestUsers(usersOf<readonly HtdigestEntry[]>(scene, source, parseHtdigest, []), realm);
}

/** One for all routes that name it, and over a reload too: what it remembers is never older than a second. */
function openStore(scene: Scene, kind: UserKind, source: DigestUsersInStore): UserStore {
  const { kept, lease, clock, log, directory, stores } = scene;
  const { storage, encryption_keys: encryptionKeys } = source;
  const store = kept.userStores.take(lease, [kind, source], () => {
    const faults = faultLog(log, { users: kind }, 'store of users');
    return userStore(openUserFacts(storage, { directory, clock, encryptionKeys }), { kind, clock, faults });
  });
  stores.add(store);
  return store;
}

/** The file was judged a moment ago: if it went bad since, nobody gets in by it (advisory 61). */
function usersOf<Users>(
  { directory, log, contents }: Scene,
  path: string,
  parse: (text: string) => ParsedUsers<Users>,
  nobody: Users,
): Users {
  const place: Place = { directory, contents };
  const read = readUserFile(path, place, parse);
  if (read.ok) return read.users;
  log.error({ file: path, faults: read.faults }, 'a file of users cannot be used any more: nobody gets in by it');
  return nobody;
}
