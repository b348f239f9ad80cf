import type { Grant } from './grant.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import { clientCredentials } from './grants/client-credentials.ts';
import { password } from './grants/password.ts';
import { refreshToken } from './grants/refresh-token.ts';

/** `grant_type` → how it is handled. */
export const grants: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
  ['client_credentials', clientCredentials],
  ['password', password],
]);
