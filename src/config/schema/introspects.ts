import type { AuthorizationServerConfig } from './gateway.ts';

/** Whether opaque tokens are taken to this server: with `auto`, where the gateway has a name there. */
export function introspects({ verify, client_id }: Pick<AuthorizationServerConfig, 'verify' | 'client_id'>): boolean {
  return verify === 'introspection' || verify === 'both' || (verify === 'auto' && client_id !== undefined);
}
