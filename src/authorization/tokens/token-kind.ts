import type { Revocation } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Service } from '../service/service.ts';

/** RFC 7662 §2.2. */
export interface ActiveToken {
  readonly active: true;
  readonly scope: string;
  readonly client_id: string;
  readonly app_id?: string;
  readonly username?: string;
  readonly token_type?: 'Bearer' | 'session_key';
  readonly exp: number;
  readonly iat: number;
  readonly sub: string;
  readonly aud?: string | readonly string[];
  readonly iss: string;
  readonly jti?: string;
  readonly gid?: string;
  readonly auth_time?: number;
  readonly [claim: string]: unknown;
}

/** The client that asks about a token. */
export type IntrospectingClient = Pick<RegisteredClient, 'id' | 'introspect' | 'isPublic'>;

export interface TokenOwner {
  readonly clientId: string;
  readonly subject: string;
}

export interface TokenKind {
  recognises(token: string): boolean;
  /** Undefined for whatever is not active, or not for this caller to know. */
  inspect(service: Service, token: string, caller: IntrospectingClient): Promise<ActiveToken | undefined>;
  /** Whose it is, also where it has been used; undefined where nothing is known of it. */
  owner(service: Service, token: string): Promise<TokenOwner | undefined>;
  /** RFC 7009 §2.1. */
  revoke(service: Service, token: string, client: Pick<RegisteredClient, 'id'>): Promise<Revocation>;
}

/** Who may ask about any token; a client without a secret shows by nothing who it is (RFC 7662 §4). */
export function mayInspectAny(caller: IntrospectingClient): boolean {
  return caller.introspect && !caller.isPublic;
}
