import type { AuthorizationServerConfig } from '../schema/gateway.ts';

type Reporting = Pick<AuthorizationServerConfig, 'backchannel_logout' | 'security_events'>;
type Server = Pick<AuthorizationServerConfig, 'verify' | 'events' | 'client_id' | 'client_secret' | 'issuer'> &
  Reporting;

/** True if the server itself reports to the gateway that tokens ended. The gateway follows no feed of it then. */
export function reportsEnds({ backchannel_logout, security_events }: Reporting): boolean {
  return backchannel_logout !== undefined || security_events !== undefined;
}

/**
 * True if there may be a revocation feed, named by the file or by the server's metadata. With client credentials, the gateway
 * reads the metadata for the feed, even if it needs nothing else there. With `verify: store`, the database knows about each
 * token.
 */
export function mayHaveFeed({ verify, events, client_id, client_secret, issuer, ...rest }: Server): boolean {
  if (reportsEnds(rest)) return false;
  if (events !== undefined) return events !== 'none';
  return verify !== 'store' && client_id !== undefined && client_secret !== undefined && /^https?:\/\//.test(issuer);
}

/** True if the gateway accepts a JWT by its signature. Then only the feed can report its revocation. */
export function trustsSignatures({ verify }: Pick<Server, 'verify'>): boolean {
  return verify === 'auto' || verify === 'jwt';
}

/** The effect of having no feed, in words. */
export const UNHEARD = 'revoked JWTs pass until their `exp`';
