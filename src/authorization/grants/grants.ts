import type { GrantType } from '../../config/schema/client.ts';
import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import type { Grant } from './grant.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';

/** `grant_type` → its handler at the token endpoint, in the order of the metadata. */
export type Grants = ReadonlyMap<string, Grant>;

/** `implicit` is missing because it never uses the token endpoint. */
const rows = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  password,
} satisfies Readonly<Record<Exclude<GrantType, 'implicit'>, Grant>>;

export const grants: Grants = new Map(Object.entries(rows));
