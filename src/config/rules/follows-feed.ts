import type { AuthorizationServerConfig } from '../schema/gateway.ts';

type Server = Pick<AuthorizationServerConfig, 'verify' | 'events' | 'client_id' | 'client_secret' | 'issuer'>;

/**
 * Whether there may be a revocation feed: one that the file names, or one that the server's metadata may name. The gateway
 * reads metadata for it if it has client credentials, even if it needs nothing else there. With `verify: store`, the database
 * knows about each token.
 */
export function mayHaveFeed({ verify, events, client_id, client_secret, issuer }: Server): boolean {
  if (events !== undefined) return events !== 'none';
  return verify !== 'store' && client_id !== undefined && client_secret !== undefined && /^https?:\/\//.test(issuer);
}

/** Whether a JWT passes by its signature, so that only the feed can report its revocation. */
export function trustsSignatures({ verify }: Pick<Server, 'verify'>): boolean {
  return verify === 'auto' || verify === 'jwt';
}

/** What comes of it, for people. */
export const UNHEARD = 'revoked JWTs pass until their `exp`';
