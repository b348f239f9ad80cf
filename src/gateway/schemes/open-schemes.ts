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
import type { Place } from '../../config/referred-file.ts';
import { readUserFile } from '../../config/user-file.ts';
import type { ParsedUsers } from '../../config/user-lines.ts';
import type { Counters } from '../../storage/counters.ts';
import { buildThrottle, type Throttle } from '../../storage/counters-throttle.ts';
import type { Kept } from '../lifecycle/kept.ts';
import type { Lease } from '../lifecycle/lease.ts';
import { basicScheme } from './basic-scheme.ts';
import { digestScheme } from './digest-scheme.ts';
import { digestUsers } from './digest-users.ts';
import type { HttpScheme } from './http-scheme.ts';
import type { Nonces } from './nonces.ts';
import { openNonces } from './nonces.ts';

export interface SchemeDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  readonly kept: Kept;
  readonly counters: Counters;
  /** Where relative file names of the configuration start. */
  readonly directory: string;
}

/** Wrong passwords by one user from one address, and the window in milliseconds: as for logins. */
const MAX_FAILURES = 10;
const WINDOW = 15 * 60_000;

/** Basic and Digest of each route, in the order of their challenges. */
export function openSchemes(
  config: GatewayConfig,
  dependencies: SchemeDependencies,
  lease: Lease,
): (route: RouteConfig) => readonly HttpScheme[] {
  const { kept, clock, counters } = dependencies;
  const nonces = () => kept.nonces.take(lease, config.nonce_keys ?? null, () => openNonces(config.nonce_keys, clock));
  const throttle = buildThrottle({ counters, maxFailures: MAX_FAILURES, window: WINDOW });
  const scene: Scene = { ...dependencies, lease, realm: config.realm, counted: config.counters, throttle, nonces };
  return (route) =>
    schemesOf(route.auth).flatMap((name) => {
      if (name === 'basic' && route.basic !== undefined) return [openBasic(scene, route.basic)];
      return name === 'digest' && route.digest !== undefined ? [openDigest(scene, route.digest)] : [];
    });
}

interface Scene extends SchemeDependencies {
  readonly lease: Lease;
  readonly realm: string;
  /** Where failures are counted. */
  readonly counted: string;
  readonly throttle: Throttle;
  readonly nonces: () => Nonces;
}

/** Kept over a reload only where its users are the same too: a password that was changed must not go on being right. */
function openBasic(scene: Scene, config: BasicConfig): HttpScheme {
  const { kept, lease, clock, counted, throttle } = scene;
  const realm = config.realm ?? scene.realm;
  const users = usersOf<Htpasswd>(scene, config.users, parseHtpasswd, new Map());
  const print = sha256(JSON.stringify([...users], octets)).toString('base64');
  return kept.schemes.take(lease, ['basic', realm, config, print, counted], () =>
    basicScheme({ config, realm, users, judge: kept.passwords, throttle, clock }),
  );
}

function octets(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Nothing of it needs to be kept but the nonces. */
function openDigest(scene: Scene, config: DigestConfig): HttpScheme {
  const entries = usersOf<readonly HtdigestEntry[]>(scene, config.users, parseHtdigest, []);
  const { throttle, nonces, counters } = scene;
  return digestScheme({
    config,
    users: digestUsers(entries, config.realm),
    nonces: nonces(),
    throttle,
    useNonce: counters.useNonce,
  });
}

/** The file was judged a moment ago: if it went bad since, nobody gets in by it (advisory 61). */
function usersOf<Users>(
  { directory, log }: Scene,
  path: string,
  parse: (text: string) => ParsedUsers<Users>,
  nobody: Users,
): Users {
  const place: Place = { directory };
  const read = readUserFile(path, place, parse);
  if (read.ok) return read.users;
  log.error({ file: path, faults: read.faults }, 'a file of users cannot be used any more: nobody gets in by it');
  return nobody;
}
