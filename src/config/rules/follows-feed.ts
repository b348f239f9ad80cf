import type { AuthorizationServerConfig } from '../schema/gateway.ts';

type Server = Pick<AuthorizationServerConfig, 'verify' | 'events' | 'client_id' | 'client_secret' | 'issuer'>;

/**
 * True if there may be a revocation feed, named by the file or by the server's metadata. With client credentials, the gateway
 * reads the metadata for the feed, even if it needs nothing else there. With `verify: store`, the database knows about each
 * token.
 */
export function mayHaveFeed({ verify, events, client_id, client_secret, issuer }: Server): boolean {
  if (events !== undefined) return events !== 'none';
  return verify !== 'store' && client_id !== undefined && client_secret !== undefined && /^https?:\/\//.test(issuer);
}

/** True if the gateway accepts a JWT by its signature. Then only the feed can report its revocation. */
export function trustsSignatures({ verify }: Pick<Server, 'verify'>): boolean {
  return verify === 'auto' || verify === 'jwt';
}

/** The effect of having no feed, in words. */
export const UNHEARD = 'revoked JWTs pass until their `exp`';
