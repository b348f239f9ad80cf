import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { outage } from '../../base/verdict.ts';
import { mayHaveFeed, reportsEnds } from '../../config/rules/follows-feed.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { openTokenFacts } from '../../storage/open-lookup.ts';
import { type FaultLog, faultLog } from '../message/fault-log.ts';
import { openTokenReceiver } from '../receiver/open-token-receiver.ts';
import type { RevocationEvent } from '../revocation/events.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import { type FeedDependencies, openFeed } from '../revocation/open-feed.ts';
import { type OpenStreams, openStreams } from '../revocation/open-streams.ts';
import { type Apply, revocations as followFeed, NO_FEED, type Revocations } from '../revocation/revocations.ts';
import type { UserKeyCache } from '../revocation/user-keys.ts';
import { clientAssertion } from '../server-client/client-assertion.ts';
import { type FetchJson, failed, jsonFetcher } from '../server-client/fetch-json.ts';
import { askAboutToken } from '../server-client/introspection-client.ts';
import type { KeySet } from '../server-client/key-set.ts';
import { lateAgent } from '../server-client/late-agent.ts';
import { metadata } from '../server-client/metadata.ts';
import { secretKeySet } from '../server-client/secret-key-set.ts';
import { connectOptions, NO_AUTHORITY, type Trust, trustOf } from '../server-client/trust.ts';
import {
  type AuthorizationServer,
  authorizationServer,
  NOT_IN_STEP,
  type ServerParts,
} from './authorization-server.ts';
import type { IdentitySource } from './facts.ts';
import { type FactsCache, factsCache } from './facts-cache.ts';
import { type Asking, openAllKeys, openUserKeys, type ServerDependencies } from './open-keys.ts';
import type { RemoteServer } from './remote-server.ts';
import { type TokenStore, tokenStore } from './token-store.ts';
import { buildIntrospection, type Introspection } from './verify-introspection.ts';
import { buildVerifyJwt, type VerifyJwt } from './verify-jwt.ts';

export type { ServerDependencies } from './open-keys.ts';

const RETRY_AFTER = 5;

/** Opens one authorization server: its connections, keys, cache and every way to verify. */
export function openAuthorizationServer(
  name: string,
  config: AuthorizationServerConfig,
  dependencies: ServerDependencies,
  trust: Trust = trustOf(config, dependencies),
): AuthorizationServer {
  const { clock, log, development, remote } = dependencies;
  const agent = lateAgent({ connections: config.cache.max_concurrent, connect: connectOptions(trust) });
  const fetch = remote?.fetch ?? fetcherOf(agent.dispatcher, trust);
  const about = remote?.about ?? metadata({ issuer: config.issuer, development, fetch, clock, ttl: config.jwks.ttl });
  const asking = { ...dependencies, fetch, about };
  const streams = openStreams(clock);
  const ends = new RevokedHere(streams);
  const revocations = openRevocations(name, config, { ...asking, trust }, ends);
  const users = openUserKeys(config, asking, revocations);
  const keys = openAllKeys(name, config, asking, users);
  const held = keys ?? secretKeySet(new Uint8Array(), []);
  const out = (detail: string) => outage(`authorization_servers.${name}`, RETRY_AFTER, detail);
  const faults = faultLog(
    log,
    { server: name },
    config.verify === 'store' ? 'ask the database of tokens' : 'introspect',
  );
  const store = openStore(config, dependencies, faults);
  const { release } = agent;
  const receiver = openTokenReceiver(name, config, asking);
  const parts = {
    name,
    config,
    keys,
    held,
    store,
    revocations,
    streams,
    fetch,
    out,
    userKeys: users,
    receiver,
    release,
  };
  const cache = openCache(parts, clock);
  const introspection = openIntrospection(parts, cache, { ...asking, faults });
  ends.reach(cache, users, introspection);
  return authorizationServer({ ...parts, cache, introspection, local: openVerifyJwt(parts, dependencies) });
}

interface Parts extends Omit<ServerParts, 'cache' | 'introspection' | 'local'> {
  /** `keys`, or an empty set. */
  readonly held: KeySet;
}

/** Applies revocations of the feed to the caches and streams. The feed starts only after all of them exist. */
class RevokedHere implements Apply {
  readonly #streams: OpenStreams;
  #cache: FactsCache | undefined;
  #users: UserKeyCache | undefined;
  #introspection: Introspection | undefined;

  constructor(streams: OpenStreams) {
    this.#streams = streams;
  }

  reach(cache: FactsCache, users: UserKeyCache | undefined, introspection: Introspection): void {
    this.#cache = cache;
    this.#users = users;
    this.#introspection = introspection;
  }

  ended(event: RevocationEvent): void {
    if (event.kind === 'kid') this.#users?.ended(event.key);
    this.#streams.ended(event);
  }

  forget(): void {
    this.#cache?.clear();
    this.#users?.clear();
    this.#introspection?.forget();
  }
}

function openCache({ config, held, revocations, out }: Parts, clock: Clock): FactsCache {
  return factsCache({
    size: config.cache.size,
    skew: config.clock_skew,
    clock,
    holds: held.holds.bind(held),
    revocations,
    maxStaleness: config.max_staleness,
    doubtful: out(NOT_IN_STEP),
  });
}

function openIntrospection(
  { name, config, store, out }: Parts,
  cache: FactsCache,
  { clock, directory, fetch, about, faults, heard }: Asking & { readonly faults: FaultLog },
): Introspection {
  const { storage, introspection_endpoint: endpoint } = config;
  return buildIntrospection(
    { ...sourceOf(name, config), cache: config.cache, skew: config.clock_skew, maxLifetime: config.max_token_lifetime },
    {
      ask: store?.ask ?? askAboutToken(config, fetch, clientAssertion(config, { clock, directory })),
      endpoint: async () => storage ?? endpoint ?? about.endpoint('introspection_endpoint'),
      moved: () => cache.clear(),
      clock,
      faults,
      out,
      heard: heard && ((answer) => heard(name, answer)),
    },
  );
}

function openVerifyJwt({ name, config, held, out }: Parts, { clock, budget }: ServerDependencies): VerifyJwt {
  return buildVerifyJwt(
    {
      ...sourceOf(name, config),
      algorithms: config.algorithms,
      typ: config.typ,
      requiredClaims: config.required_claims,
      skew: config.clock_skew,
      maxLifetime: config.max_token_lifetime,
      requiresIssuedAt: reportsEnds(config),
    },
    { keys: held, clock, out, budget },
  );
}

function sourceOf(name: string, { issuer, scope_claims }: AuthorizationServerConfig): IdentitySource {
  return { issuer, server: name, scopeClaims: scope_claims };
}

function openRevocations(
  name: string,
  config: AuthorizationServerConfig,
  dependencies: Asking & { readonly trust: Trust },
  apply: Apply,
): Revocations {
  const { remote } = dependencies;
  const open = remote === undefined ? feedOf(name, config, dependencies) : feedOfDesk(remote, config);
  if (open === undefined) return NO_FEED;
  const { on_stale, max_staleness, clock_skew } = config;
  const rules = { onStale: on_stale, maxStaleness: max_staleness, skew: clock_skew };
  return followFeed(open, rules, {
    forget: () => apply.forget(),
    ended: (event) => apply.ended(event),
    clock: dependencies.clock,
  });
}

/** The feed of the server, or what it reported to this gateway. */
export function feedOf(
  name: string,
  config: AuthorizationServerConfig,
  dependencies: FeedDependencies & Pick<ServerDependencies, 'received'>,
): OpenFeed | undefined {
  return reportsEnds(config) ? dependencies.received?.feed(config.issuer) : openFeed(name, config, dependencies);
}

/** The feed of the primary process. It also knows if the server has none. */
function feedOfDesk({ feed }: RemoteServer, config: AuthorizationServerConfig): OpenFeed | undefined {
  return mayHaveFeed(config) || reportsEnds(config) ? feed : undefined;
}

function openStore(
  { verify, storage, issuer }: AuthorizationServerConfig,
  { clock, directory }: ServerDependencies,
  faults: FaultLog,
): TokenStore | undefined {
  if (verify !== 'store' || storage === undefined) return undefined;
  return tokenStore(openTokenFacts(storage, { directory, clock }), { issuer, clock, faults });
}

const untrusting: FetchJson = async () => failed(NO_AUTHORITY);

export function fetcherOf(dispatcher: () => Dispatcher, trust: Trust): FetchJson {
  return trust.kind === 'none' ? untrusting : (wanted) => jsonFetcher(dispatcher())(wanted);
}
