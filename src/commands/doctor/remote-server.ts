import type { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { introspects } from '../../config/schema/introspects.ts';
import type { FetchJson } from '../../gateway/server-client/fetch-json.ts';
import type { Metadata, RequiredMember } from '../../gateway/server-client/metadata.ts';
import type { Trust } from '../../gateway/server-client/trust.ts';
import { type AlgorithmName, algorithms } from '../../jwt/algorithms.ts';

/** One authorization server, and the means to ask it as the gateway does. */
export interface RemoteView {
  /** `authorization_servers.NAME`. */
  readonly name: string;
  readonly config: AuthorizationServerConfig;
  readonly directory: string;
  readonly clock: Clock;
  readonly opened: AsyncDisposableStack;
  readonly agent: Agent;
  readonly trust: Trust;
  readonly fetch: FetchJson;
  readonly about: Metadata;
}

/** The algorithms that need published keys; empty if the gateway verifies no token with such a key. */
export function publishedAlgorithms({
  verify,
  algorithms: names,
}: AuthorizationServerConfig): readonly AlgorithmName[] {
  return verify === 'introspection' ? [] : names.filter((name) => algorithms[name].hmac === undefined);
}

/** The metadata members that the file does not replace. */
export function membersNeeded(config: AuthorizationServerConfig): readonly RequiredMember[] {
  const keys = publishedAlgorithms(config).length > 0;
  const isGiven = config.jwks_uri !== undefined || config.jwks_file !== undefined;
  return [
    ...(keys && !isGiven ? ['jwks_uri' as const] : []),
    ...(introspects(config) && config.introspection_endpoint === undefined ? ['introspection_endpoint' as const] : []),
  ];
}
