import { sha256 } from '../base/secret.ts';
import type { ClientConfig, TokenFormat } from '../config/authorization.ts';
import { parseScope } from '../oauth/scope.ts';

/** A registered client (RFC 6749 §2). */
export interface Client {
  readonly id: string;
  /** SHA-256; undefined for a public client (RFC 6749 §2.1). */
  readonly secretHash: Uint8Array | undefined;
  /** The upper bound of every grant. */
  readonly scope: readonly string[];
  readonly grantTypes: readonly string[];
  readonly tokenFormat: TokenFormat | undefined;
  /** May ask about any token. */
  readonly introspect: boolean;
}

export type Clients = ReadonlyMap<string, Client>;

export function buildClients(registered: readonly ClientConfig[]): Clients {
  return new Map(registered.map(buildClient).map((client) => [client.id, client]));
}

function buildClient(config: ClientConfig): Client {
  return {
    id: config.client_id,
    secretHash: secretHash(config),
    scope: config.scope === undefined ? [] : (parseScope(config.scope) ?? []),
    grantTypes: config.grant_types,
    tokenFormat: config.access_token_format,
    introspect: config.introspect,
  };
}

function secretHash(config: ClientConfig): Uint8Array | undefined {
  if (config.client_secret_sha256 !== undefined) return Buffer.from(config.client_secret_sha256, 'hex');
  return config.client_secret === undefined ? undefined : sha256(config.client_secret);
}
