import type { ApiKeyEntry } from '../../../config/files/api-keys.ts';
import type { Identity } from '../../message/identity.ts';

/** The identity of a key: its client, which is also the subject, since there is no user. */
export function identityOfKey(realm: string, { id, client, scopes, expiresAt }: IdentifyingKey): Identity {
  return {
    scheme: 'api_key',
    // A client of the same name in another realm is another client.
    issuer: `api_key:${realm}`,
    server: '',
    subject: client,
    clientId: client,
    scopes: new Set(scopes),
    audience: undefined,
    expiresAt,
    notBefore: undefined,
    claims: { sub: client, client_id: client, ...(id !== undefined && { key_id: id }) },
  };
}

export type IdentifyingKey = Pick<ApiKeyEntry, 'client' | 'scopes' | 'expiresAt'> & Partial<Pick<ApiKeyEntry, 'id'>>;
