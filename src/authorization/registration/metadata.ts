import { type ClientAuthMethod, clientAuthMethods } from '../../config/words/client-auth-methods.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { parseScope } from '../../oauth/scope.ts';
import type { ClientRecord } from '../../storage/records/records.ts';
import { inlineKeysFault } from '../clients/inline-keys.ts';
import { type ClientMetadata, judgeMetadata } from '../clients/self-described.ts';
import { endpointUrl } from '../http/endpoint.ts';
import type { Service } from '../service/service.ts';

/** Characters of JSON in the store. */
const LARGEST = 16 * 1024;

export const REGISTRATION_PATH = '/oauth2/register';

/**
 * The metadata that the service keeps, or the error of RFC 7591 §3.2.2. `methods`: the first is the default of RFC 7591
 * §2. The client gets the scope of the configuration (§2 allows this): SDKs register with the scope of their first
 * challenge, and a tool that needs more would be out of reach.
 */
export async function registrable(
  { config }: Service,
  said: JsonObject,
  methods: readonly ClientAuthMethod[] = clientAuthMethods,
): Promise<ClientMetadata> {
  const scope = parseScope(config.registration.dynamic.scope ?? '') ?? [];
  const judged = judgeMetadata(said, { needsName: false, methods, scope });
  if (judged.kind === 'refused') throw new OAuthError(judged.code, { description: judged.reason });
  const isLarge = JSON.stringify(judged.metadata).length > LARGEST;
  const fault = isLarge
    ? `the metadata have more than ${LARGEST} characters`
    : await inlineKeysFault(judged.metadata.jwks);
  if (fault !== undefined) throw new OAuthError('invalid_client_metadata', { description: fault });
  return { ...judged.metadata, ...(scope.length > 0 && { scope: scope.join(' ') }) };
}

export function storedMetadata(metadata: ClientMetadata): ClientRecord['metadata'] {
  return { ...metadata, public: metadata.token_endpoint_auth_method === 'none' };
}

interface Shown {
  readonly record: Pick<ClientRecord, 'id' | 'metadata' | 'createdAt'>;
  readonly token: string;
  /** Only at the registration, because the service keeps only its hash. */
  readonly secret?: string | undefined;
}

/** RFC 7591 §3.2.1, RFC 7592 §3. */
export function informationOf({ config }: Service, { record, token, secret }: Shown): object {
  const { public: _, ...metadata } = record.metadata;
  return {
    client_id: record.id,
    client_id_issued_at: record.createdAt,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    ...(config.compat.app_id_claim && { app_id: record.id, ...(secret !== undefined && { app_secret: secret }) }),
    registration_access_token: token,
    registration_client_uri: `${endpointUrl(config.issuer, REGISTRATION_PATH)}/${record.id}`,
    ...metadata,
  };
}
