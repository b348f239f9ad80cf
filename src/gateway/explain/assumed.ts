import { refused } from '../../base/verdict.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { AssumedToken } from '../../config/schema/test-case.ts';
import type { Identity, VerifyBearer } from '../message/identity.ts';
import { identityOf } from '../verify/facts.ts';

/** Text of a bearer token → its assumed contents. */
export type AssumedTokens = ReadonlyMap<string, AssumedToken>;

/** Replaces authorization servers: accepts only the assumed token. */
export function assumedVerifier(
  config: GatewayConfig,
  tokens: AssumedTokens,
): (serverNames: readonly string[]) => VerifyBearer {
  const everyAudience = audiencesOf(config);
  return (serverNames) => (text) => {
    const token = tokens.get(text);
    if (token === undefined) return refused('token_inactive', 'not one of the assumed tokens');
    const server = token.server ?? serverNames[0];
    if (server === undefined || !serverNames.includes(server)) return refused('token_issuer');
    return { kind: 'verified', identity: identify(config, token, server, everyAudience), cache: 'miss' };
  };
}

function identify(
  config: GatewayConfig,
  { scope, sub, client_id, aud = [], claims = {} }: AssumedToken,
  server: string,
  everyAudience: readonly string[],
): Identity {
  const { issuer = '', scope_claims = [] } = config.authorization_servers[server] ?? {};
  const given = Object.entries({ scope, sub, client_id }).filter(([, value]) => value !== undefined);
  const audience = [aud].flat().length === 0 ? everyAudience : [aud].flat();
  const said = { iss: issuer, aud: audience, ...Object.fromEntries(given), ...claims };
  const identity = identityOf(said, { issuer, server, scopeClaims: scope_claims });
  const words = scope?.split(' ').filter((word) => word !== '') ?? [];
  return { ...identity, scopes: new Set([...words, ...identity.scopes]) };
}

/** Every audience that the file requires anywhere. */
export function audiencesOf({ authorization_servers, routes }: GatewayConfig): readonly string[] {
  const asked = [...Object.values(authorization_servers), ...routes].map(({ audience }) => audience);
  return [...new Set(asked.filter((audience) => audience !== undefined && audience !== 'any'))] as string[];
}
