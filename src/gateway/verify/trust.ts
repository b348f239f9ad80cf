import type { buildConnector } from 'undici';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import type { Place } from '../../config/referred-file.ts';
import { readAuthorities } from '../../config/tls-files.ts';
import { DEADLINE } from './fetch-json.ts';

/**
 * Who may vouch for a server. `only`: the authorities of one file and nobody else, as curl, nginx and Envoy take such a
 * file; who wants the public ones too puts them into it.
 */
export type Trust =
  | { readonly kind: 'system' }
  | { readonly kind: 'only'; readonly pem: string }
  /** The file went bad since it was checked: without it a library would fall back to whom it knows. */
  | { readonly kind: 'nobody' };

export function trustOf({ tls }: Pick<AuthorizationServerConfig, 'tls'>, place: Place): Trust {
  if (tls === undefined) return { kind: 'system' };
  const read = readAuthorities(tls.ca, place);
  return read.ok ? { kind: 'only', pem: read.pem.toString('latin1') } : { kind: 'nobody' };
}

/** `rejectUnauthorized` is said aloud, so that no variable of the environment can unsay it. */
export function connectOptions(trust: Trust): buildConnector.BuildOptions {
  return { rejectUnauthorized: true, timeout: DEADLINE, ...(trust.kind === 'only' && { ca: trust.pem }) };
}
