import { resolve } from 'node:path';
import { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { outage } from '../../base/verdict.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import { algorithms } from '../../jwt/algorithms.ts';
import { openTokenFacts } from '../../storage/read-open.ts';
import { type AuthorizationServer, authorizationServer } from './authorization-server.ts';
import { clientAssertion } from './client-assertion.ts';
import { factsCache } from './facts-cache.ts';
import { type FaultLog, faultLog, type GatewayLog } from './fault-log.ts';
import { type FetchJson, failed, jsonFetcher } from './fetch-json.ts';
import { askAboutToken } from './introspection-client.ts';
import { type KeySet, keySet } from './key-set.ts';
import { keysFromFile, keysFromServer } from './key-source.ts';
import { type Metadata, metadata } from './metadata.ts';
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
}

const RETRY_AFTER = 5;

/** Puts one authorization server together: its connections, keys, cache and every way of verifying. */
export function openAuthorizationServer(
  name: string,
  config: AuthorizationServerConfig,
  dependencies: ServerDependencies,
  trust: Trust = trustOf(config, dependencies),
): AuthorizationServer {
  const { clock, log, directory, development } = dependencies;
  const agent = new Agent({ connections: config.cache.max_concurrent, connect: connectOptions(trust) });
  const fetch = trust.kind === 'nobody' ? untrusting : jsonFetcher(agent);
  const about = metadata({ issuer: config.issuer, development, fetch, clock, ttl: config.jwks.ttl });
  const keys = openKeys(name, config, dependencies, { fetch, about });
  const source = { issuer: config.issuer, server: name, scopeClaims: config.scope_claims };
  const out = (detail: string) => outage(`authorization_servers.${name}`, RETRY_AFTER, detail);
  const faults = faultLog(log, { server: name }, config.verify === 'store' ? 'store' : 'introspection');
  const store = openStore(config, dependencies, faults);
  const held = keys ?? secretKeySet(new Uint8Array(), []);
  const cache = factsCache({ size: config.cache.size, skew: config.clock_skew, clock, holds: held.holds });
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
    introspection: buildIntrospection(
      { ...source, cache: config.cache, skew: config.clock_skew, maxLifetime: config.max_token_lifetime },
      {
        ask: store?.ask ?? askAboutToken(config, fetch, clientAssertion(config, { clock, directory })),
        endpoint: async () =>
          config.storage ?? config.introspection_endpoint ?? about.endpoint('introspection_endpoint'),
        moved: cache.clear,
        clock,
        faults,
        out,
      },
    ),
    store,
    release: () => agent.destroy(),
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

/** Undefined where no token is ever verified by a published key. */
function openKeys(
  name: string,
  config: AuthorizationServerConfig,
  { clock, log, directory }: ServerDependencies,
  { fetch, about }: { fetch: FetchJson; about: Metadata },
): KeySet | undefined {
  const secret = secretOf(config);
  const shared = secret === undefined ? undefined : secretKeySet(secret, config.algorithms);
  const asymmetric = config.algorithms.filter((alg) => algorithms[alg].hmac === undefined);
  if (config.verify === 'introspection' || asymmetric.length === 0) return shared;
  const { jwks_file, jwks_uri, jwks } = config;
  const published = keySet({
    source:
      jwks_file === undefined
        ? keysFromServer(fetch, jwks_uri, about, jwks.ttl)
        : keysFromFile(resolve(directory, jwks_file)),
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
