import type { Revocation } from '../storage/records.ts';
import type { Client } from './clients.ts';
import type { Service } from './service.ts';

/** RFC 7662 §2.2. */
export interface ActiveToken {
  readonly active: true;
  readonly scope: string;
  readonly client_id: string;
  readonly token_type: 'Bearer';
  readonly exp: number;
  readonly iat: number;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly iss: string;
  readonly jti?: string;
}

export interface TokenKind {
  recognises(token: string): boolean;
  /** Undefined for whatever is not active. */
  inspect(service: Service, token: string): Promise<ActiveToken | undefined>;
  /** RFC 7009 §2.1. */
  revoke(service: Service, token: string, client: Client): Promise<Revocation>;
}
