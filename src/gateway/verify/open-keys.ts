import type { Clock } from '../../base/clock.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { type AlgorithmName, algorithms } from '../../jwt/algorithms.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { TurnBudget } from '../../jwt/turn-budget.ts';
import { faultLog, type GatewayLog } from '../message/fault-log.ts';
import type { EventLog } from '../receiver/event-log.ts';
import { fetchBudget } from '../revocation/fetch-budget.ts';
import type { Revocations } from '../revocation/revocations.ts';
import { askForUserKey } from '../revocation/user-key-source.ts';
import { type UserKeyCache, userKeyCache, withUserKeys } from '../revocation/user-keys.ts';
import { callLimit } from '../server-client/call-limit.ts';
import { headerAuthenticator } from '../server-client/client-authentication.ts';
import type { FetchJson } from '../server-client/fetch-json.ts';
import { type KeySet, keySet } from '../server-client/key-set.ts';
import { keySourceOf } from '../server-client/key-source.ts';
import type { Metadata } from '../server-client/metadata.ts';
import { bothKeySets, secretKeySet } from '../server-client/secret-key-set.ts';
import type { RemoteServer } from './remote-server.ts';

export interface ServerDependencies {
  readonly clock: Clock;
  readonly log: GatewayLog;
  /** Where relative filenames start. */
  readonly directory: string;
  readonly development: boolean;
  /** One object for the process. */
  readonly budget?: TurnBudget | undefined;
  /** Present in a worker. */
  readonly remote?: RemoteServer | undefined;
  /** What servers reported to this gateway. Undefined in a worker, which gets it from its primary. */
  readonly received?: EventLog | undefined;
  /** Gets each introspection answer, for `explain`: the server's configuration name, and the answer. */
  readonly heard?: ((server: string, answer: JsonObject) => void) | undefined;
}

/** Everything needed to ask a server. */
export interface Asking extends ServerDependencies {
  readonly fetch: FetchJson;
  readonly about: Metadata;
}

/** Waiting fetches of users' keys, for each running fetch. */
const WAITING_PER_CALL = 16;
/** Milliseconds for which a user's key serves if neither a feed nor the server limits it. */
const USER_KEY_AGE = 30_000;
/** Limits fetches of keys that do not exist. */
const FOR_NOTHING = { burst: 128, perSecond: 32 };

/** Undefined: no token is ever verified with a single user's key. */
export function openUserKeys(
  config: AuthorizationServerConfig,
  { clock, fetch, about }: Asking,
  told: Revocations,
): UserKeyCache | undefined {
  const { verify, issuer, user_key_uri_template: template, cache, jwks } = config;
  // A secret in the file applies to every `kid`.
  if (verify === 'introspection' || (template === undefined && secretOf(config) !== undefined)) return undefined;
  const accepted: readonly AlgorithmName[] = config.algorithms;
  return userKeyCache({
    issuer,
    algorithms: accepted,
    ask: askForUserKey({
      template: template === undefined ? () => about.optional('user_key_uri_template') : async () => template,
      fetch,
      authenticate: headerAuthenticator(config),
      secret: accepted.some((alg) => algorithms[alg].hmac !== undefined),
    }),
    size: cache.size,
    maxAge: USER_KEY_AGE,
    staleIfError: jwks.stale_if_error,
    limit: callLimit(cache.max_concurrent, cache.max_concurrent * WAITING_PER_CALL),
    budget: fetchBudget(FOR_NOTHING, clock),
    revocations: told,
    clock,
  });
}

/** Undefined: no token is ever verified with a published key. */
export function openAllKeys(
  name: string,
  config: AuthorizationServerConfig,
  asking: Asking,
  users: UserKeyCache | undefined,
): KeySet | undefined {
  const published = openKeys(name, config, asking);
  return published && users ? withUserKeys(published, users) : published;
}

function openKeys(
  name: string,
  config: AuthorizationServerConfig,
  { clock, log, directory, remote, fetch, about }: Asking,
): KeySet | undefined {
  const secret = secretOf(config);
  const shared = secret === undefined ? undefined : secretKeySet(secret, config.algorithms);
  const asymmetric = config.algorithms.filter((alg) => algorithms[alg].hmac === undefined);
  if (config.verify === 'introspection') return shared;
  // Only keys of users remain, which are fetched when their tokens arrive.
  if (asymmetric.length === 0) return shared ?? secretKeySet(new Uint8Array(), []);
  const { jwks } = config;
  const published = keySet({
    source: remote?.keys ?? keySourceOf(config, { fetch, about, directory }),
    algorithms: asymmetric,
    ttl: jwks.ttl,
    cooldown: jwks.cooldown,
    staleIfError: jwks.stale_if_error,
    clock,
    log,
    faults: faultLog(log, { server: name }, 'fetch the keys'),
  });
  return shared === undefined ? published : bothKeySets(shared, published);
}

function secretOf({ secret, secret_base64url }: AuthorizationServerConfig): Uint8Array<ArrayBuffer> | undefined {
  if (secret !== undefined) return new Uint8Array(Buffer.from(secret, 'utf8'));
  return secret_base64url === undefined ? undefined : new Uint8Array(Buffer.from(secret_base64url, 'base64url'));
}
