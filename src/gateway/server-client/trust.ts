import type { buildConnector } from 'undici';
import { namedServer } from '../../base/server-identity.ts';
import type { Trust } from '../../config/files/trust.ts';
import { FETCH_DEADLINE } from './fetch-json.ts';

export { type Trust, trustOf } from '../../config/files/trust.ts';

/** An explicit `rejectUnauthorized` overrides the environment variable that disables it. */
export function connectOptions(trust: Trust): buildConnector.BuildOptions {
  const authorities = trust.kind === 'only' && { ca: trust.pem };
  return { rejectUnauthorized: true, checkServerIdentity: namedServer, timeout: FETCH_DEADLINE, ...authorities };
}

/** Why nothing is asked if the trust is `none`. */
export const NO_AUTHORITY = 'the file of `tls.ca` cannot be read, or contains no certificate';
