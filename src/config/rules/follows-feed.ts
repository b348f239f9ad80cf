import type { AuthorizationServerConfig } from '../schema/gateway.ts';

type Server = Pick<AuthorizationServerConfig, 'verify' | 'events' | 'client_id' | 'client_secret' | 'issuer'>;

/**
 * Whether there may be a revocation feed to follow: one that the file names, or one that the metadata of the server may
 * name. They are read for it wherever the gateway could show who it is, also where nothing else is looked up there. With
 * `verify: store` the database tells of each token.
 */
export function mayHaveFeed({ verify, events, client_id, client_secret, issuer }: Server): boolean {
  if (events !== undefined) return events !== 'none';
  return verify !== 'store' && client_id !== undefined && client_secret !== undefined && /^https?:\/\//.test(issuer);
}

/** Whether a JWT passes by its signature, so that nobody but the feed could say that it was revoked. */
export function trustsSignatures({ verify }: Pick<Server, 'verify'>): boolean {
  return verify === 'auto' || verify === 'jwt';
}

/** What comes of it, for people. */
export const UNHEARD = 'revoked JWTs pass until their `exp`';
