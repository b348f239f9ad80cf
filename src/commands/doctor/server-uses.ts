import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import { introspectsOpaque } from '../../gateway/verify/authorization-server.ts';
import type { RequiredMember } from '../../gateway/verify/metadata.ts';
import { type AlgorithmName, algorithms } from '../../jwt/algorithms.ts';

/** The algorithms for which keys are published; none: every token is judged in another way. */
export function publishedAlgorithms({
  verify,
  algorithms: names,
}: AuthorizationServerConfig): readonly AlgorithmName[] {
  return verify === 'introspection' ? [] : names.filter((name) => algorithms[name].hmac === undefined);
}

/** Whether the gateway asks its introspection endpoint. */
export function introspects(config: AuthorizationServerConfig): boolean {
  return config.verify !== 'store' && introspectsOpaque(config);
}

/** What the file leaves to the metadata. */
export function membersNeeded(config: AuthorizationServerConfig): readonly RequiredMember[] {
  const keys = publishedAlgorithms(config).length > 0;
  const isGiven = config.jwks_uri !== undefined || config.jwks_file !== undefined;
  return [
    ...(keys && !isGiven ? ['jwks_uri' as const] : []),
    ...(introspects(config) && config.introspection_endpoint === undefined ? ['introspection_endpoint' as const] : []),
  ];
}
