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

/** The client that introspects a token. */
export type IntrospectingClient = Pick<RegisteredClient, 'id' | 'introspect' | 'isPublic'>;

/** Endpoints of this service see every token. */
export const THIS_SERVICE: IntrospectingClient = { id: '', introspect: true, isPublic: false };

export interface TokenOwner {
  readonly clientId: string;
  readonly subject: string;
}

export interface TokenKind {
  recognises(token: string): boolean;
  /** Undefined if the token is inactive, or the caller may not know about it. */
  inspect(service: Service, token: string, caller: IntrospectingClient): Promise<ActiveToken | undefined>;
  /** The owner of the token, even of a used one; undefined if the token is unknown. */
  owner(service: Service, token: string): Promise<TokenOwner | undefined>;
  /** RFC 7009 §2.1. */
  revoke(service: Service, token: string, client: Pick<RegisteredClient, 'id'>): Promise<Revocation>;
}

/** True if the caller may introspect any token. A client without a secret cannot prove its identity (RFC 7662 §4). */
export function mayInspectAny(caller: IntrospectingClient): boolean {
  return caller.introspect && !caller.isPublic;
}
