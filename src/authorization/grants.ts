import type { Grant } from './grant.ts';
import { clientCredentials } from './grants/client-credentials.ts';

/** `grant_type` → how it is handled. */
export const grants: ReadonlyMap<string, Grant> = new Map([['client_credentials', clientCredentials]]);
