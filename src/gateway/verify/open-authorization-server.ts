import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { outage } from '../../base/verdict.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import { type AlgorithmName, algorithms } from '../../jwt/algorithms.ts';
import { openTokenFacts } from '../../storage/read-open.ts';
import type { RevocationEvent } from '../revocation/events.ts';
import { fetchBudget } from '../revocation/fetch-budget.ts';
import { mayHaveFeed, openFeed } from '../revocation/open-feed.ts';
import { openStreams } from '../revocation/open-streams.ts';
import { NO_FEED, type Revocations, revocations } from '../revocation/revocations.ts';
import { askForUserKey } from '../revocation/user-key-source.ts';
import { type UserKeys, userKeys, withUserKeys } from '../revocation/user-keys.ts';
import { type AuthorizationServer, authorizationServer, NOT_IN_STEP } from './authorization-server.ts';
import { callLimit } from './call-limit.ts';
import { clientAssertion } from './client-assertion.ts';
import { headerAuthenticator } from './client-authentication.ts';
import { factsCache } from './facts-cache.ts';
import { type FaultLog, faultLog, type GatewayLog } from './fault-log.ts';
import { type FetchJson, failed, jsonFetcher } from './fetch-json.ts';
import { askAboutToken } from './introspection-client.ts';
import { type KeySet, keySet } from './key-set.ts';
import { keySourceOf } from './key-source.ts';
import { lateAgent } from './late-agent.ts';
import { type Metadata, metadata } from './metadata.ts';
import type { RemoteServer } from './remote-server.ts';
import { bothKeySets, secretKeySet } from './secret-key-set.ts';
import { type TokenStore, tokenStore } from './token-store.ts';
import { connectOptions, type Trust, trustOf } from './trust.ts';
import { buildIntrospection } from './verify-introspection.ts';
import { buildVerifyJwt } from './verify-jwt.ts';

export interface ServerDependencies {
  readonly clock: Clock;
  readonly log: GatewayLog;
  /** Where a relative file starts. */
  readonly directory: string;
  readonly development: boolean;
  /** Of a worker. */
  readonly remote?: RemoteServer | undefined;
}

const RETRY_AFTER = 5;
/** Fetches of users' keys that wait, for each that is under way. */
const WAITING_PER_CALL = 16;

/** Puts one authorization server together: its connections, keys, cache and every way of verifying. */
export function openAuthorizationServer(
  name: string,
  config: AuthorizationServerConfig,
  dependencies: ServerDependencies,
  trust: Trust = trustOf(config, dependencies),
): AuthorizationServer {
  const { clock, log, directory, development, remote } = dependencies;
  const agent = lateAgent({ connections: config.cache.max_concurrent, connect: connectOptions(trust) });
  const fetch = remote?.fetch ?? fetcherOf(agent.dispatcher, trust);
  const about = remote?.about ?? metadata({ issuer: config.issuer, development, fetch, clock, ttl: config.jwks.ttl });
  const published = openKeys(name, config, dependencies, { fetch, about });
  const streams = openStreams(clock);
  const told = openRevocations(name, config, { ...dependencies, about, trust }, { ended, forget });
  const users = openUserKeys(config, { ...dependencies, fetch, about, told });
  const keys = published && users ? withUserKeys(published, users) : published;
  const source = { issuer: config.issuer, server: name, scopeClaims: config.scope_claims };
  const out = (detail: string) => outage(`authorization_servers.${name}`, RETRY_AFTER, detail);
  const faults = faultLog(log, { server: name }, config.verify === 'store' ? 'store' : 'introspection');
  const store = openStore(config, dependencies, faults);
  const held = keys ?? secretKeySet(new Uint8Array(), []);
  const cache = factsCache({
    size: config.cache.size,
    skew: config.clock_skew,
    clock,
    holds: held.holds,
    revocations: told,
    maxStaleness: config.max_staleness,
    doubtful: out(NOT_IN_STEP),
  });
  const introspection = buildIntrospection(
    { ...source, cache: config.cache, skew: config.clock_skew, maxLifetime: config.max_token_lifetime },
    {
      ask: store?.ask ?? askAboutToken(config, fetch, clientAssertion(config, { clock, directory })),
      endpoint: async () => config.storage ?? config.introspection_endpoint ?? about.endpoint('introspection_endpoint'),
      moved: cache.clear,
      clock,
      faults,
      out,
    },
  );
  /** The feed speaks only once everything is here. */
  function ended(event: RevocationEvent): void {
    if (event.kind === 'kid') users?.ended(event.key);
    streams.ended(event);
  }
  function forget(): void {
    cache.clear();
    users?.clear();
    introspection.forget();
  }
  return authorizationServer({
    name,
    config,
    cache,
    keys,
    local: buildVerifyJwt(
      {
        ...source,
        algorithms: config.algorithms,
        typ: config.typ,
        requiredClaims: config.required_claims,
        skew: config.clock_skew,
        maxLifetime: config.max_token_lifetime,
      },
      { keys: held, clock, out },
    ),
    introspection,
    store,
    revocations: told,
    streams,
    out,
    userKeys: users,
    release: agent.release,
  });
}

function openRevocations(
  name: string,
  config: AuthorizationServerConfig,
  dependencies: ServerDependencies & { about: Metadata; trust: Trust },
  apply: Omit<Parameters<typeof revocations>[2], 'clock'>,
): Revocations {
  const { remote } = dependencies;
  const open = remote === undefined || !mayHaveFeed(config) ? openFeed(name, config, dependencies) : remote.feed;
  if (open === undefined) return NO_FEED;
  const { on_stale, max_staleness, clock_skew, events } = config;
  const rules = { onStale: on_stale, maxStaleness: max_staleness, skew: clock_skew, optional: events === undefined };
  return revocations(open, rules, { ...apply, clock: dependencies.clock });
}

/** Milliseconds for which a user's key serves where neither a feed nor its server says for how long. */
const USER_KEY_AGE = 30_000;
/** Fetches for keys that turn out not to be there. */
const FOR_NOTHING = { burst: 128, perSecond: 32 };

/** Undefined where no token is ever verified by a key of one user. */
function openUserKeys(
  config: AuthorizationServerConfig,
  { clock, fetch, about, told }: ServerDependencies & { fetch: FetchJson; about: Metadata; told: Revocations },
): UserKeys | undefined {
  const { verify, issuer, user_key_uri_template: template, cache, jwks } = config;
  // A secret of the file is meant by whatever `kid` a token has.
  if (verify === 'introspection' || (template === undefined && secretOf(config) !== undefined)) return undefined;
  const accepted: readonly AlgorithmName[] = config.algorithms;
  return userKeys({
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

function openStore(
  { verify, storage, issuer }: AuthorizationServerConfig,
  { clock, directory }: ServerDependencies,
  faults: FaultLog,
): TokenStore | undefined {
  if (verify !== 'store' || storage === undefined) return undefined;
  return tokenStore(openTokenFacts(storage, { directory, clock }), { issuer, clock, faults });
}

const untrusting: FetchJson = async () => failed('the file of tls.ca cannot be read, or holds no certificate');

export function fetcherOf(dispatcher: () => Dispatcher, trust: Trust): FetchJson {
  return trust.kind === 'nobody' ? untrusting : (wanted) => jsonFetcher(dispatcher())(wanted);
}

/** Undefined where no token is ever verified by a published key. */
function openKeys(
  name: string,
  config: AuthorizationServerConfig,
  { clock, log, directory, remote }: ServerDependencies,
  { fetch, about }: { fetch: FetchJson; about: Metadata },
): KeySet | undefined {
  const secret = secretOf(config);
  const shared = secret === undefined ? undefined : secretKeySet(secret, config.algorithms);
  const asymmetric = config.algorithms.filter((alg) => algorithms[alg].hmac === undefined);
  if (config.verify === 'introspection') return shared;
  // Keys of users alone, which are fetched when their tokens come.
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
    faults: faultLog(log, { server: name }, 'keys'),
  });
  return shared === undefined ? published : bothKeySets(shared, published);
}

function secretOf({ secret, secret_base64url }: AuthorizationServerConfig): Uint8Array<ArrayBuffer> | undefined {
  if (secret !== undefined) return new Uint8Array(Buffer.from(secret, 'utf8'));
  return secret_base64url === undefined ? undefined : new Uint8Array(Buffer.from(secret_base64url, 'base64url'));
}
