import type { AuthorizationServerConfig } from './gateway.ts';

/** True if the gateway introspects opaque tokens at this server. With `auto`, it needs a client id there. */
export function introspects({ verify, client_id }: Pick<AuthorizationServerConfig, 'verify' | 'client_id'>): boolean {
  return verify === 'introspection' || verify === 'both' || (verify === 'auto' && client_id !== undefined);
}
