import { type Clock, seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { readStoredClient } from '../../config/load/stored-client.ts';
import type { AuthorizationConfig, ClientConfig } from '../../config/schema/authorization.ts';
import { parseScope } from '../../oauth/scope.ts';
import { StorageUnusable } from '../../storage/engine/errors.ts';
import type { ClientRecord, Records } from '../../storage/records/records.ts';
import type { ClientLookup, DocumentClients } from './lookup.ts';
import type { RegisteredClient } from './registered-client.ts';

export { isSelfMade, type RegisteredClient } from './registered-client.ts';

/** The clients of the file, then the clients in the store, then the clients with a metadata document. */
export interface Clients {
  /**
   * Only in the file and in the store. Rejects with `StorageUnusable` if the stored record of this id is not a valid
   * registration.
   */
  find(id: string): Promise<RegisteredClient | undefined>;
  /** Requests no document: see `DocumentClients`. Tokens of a client stay valid while its host does not answer. */
  glance(id: string): Promise<RegisteredClient | undefined>;
  /** May request a document for this address of a caller. */
  look(id: string, address: string): Promise<ClientLookup>;
  /** All readable clients of the file and by command. An unreadable one does not hide the others. */
  list(): Promise<readonly RegisteredClient[]>;
  /** Readable clients that registered themselves, the newest first. */
  listSelfRegistered(limit: number): Promise<readonly RegisteredClient[]>;
}

export function buildClients(
  { clients, tokens, registration }: Pick<AuthorizationConfig, 'clients' | 'tokens' | 'registration'>,
  records: Records,
  clock: Clock,
  documents: DocumentClients,
): Clients {
  const inFile = new Map(clients.map(clientOfFile).map((client) => [client.id, client]));
  const read = (record: ClientRecord) => {
    const client = storedClient(record, tokens.refresh.retry_window);
    return isReadable(client) ? withinScope(client, registration.dynamic.scope) : client;
  };
  const find = async (id: string) => {
    const known = inFile.get(id);
    if (known !== undefined) return known;
    const record = await records.findClient(id, seconds(clock));
    const client = record && read(record);
    if (client instanceof StorageUnusable) throw client;
    return client;
  };
  return {
    find,
    glance: async (id) => (await find(id)) ?? documents.glance(id),
    async look(id, address) {
      const client = await find(id);
      return client === undefined ? documents.look(id, address) : { kind: 'found', client };
    },
    async list() {
      const others = (await records.listClients(seconds(clock))).filter(({ id }) => !inFile.has(id));
      return [...inFile.values(), ...others.map(read).filter(isReadable)];
    },
    listSelfRegistered: async (limit) =>
      (await records.listSelfRegistered(seconds(clock), limit)).map(read).filter(isReadable),
  };
}

function isReadable(client: RegisteredClient | StorageUnusable): client is RegisteredClient {
  return !(client instanceof StorageUnusable);
}

function clientOfFile(config: ClientConfig): RegisteredClient {
  return buildClient(config, { source: 'file', isPublic: isPublic(config), secretHashes: secretHashes(config) });
}

/** The scope for clients that register themselves may have become smaller. */
function withinScope(client: RegisteredClient, allowed = ''): RegisteredClient {
  if (client.source !== 'itself') return client;
  return { ...client, scope: client.scope.filter((each) => allowed.split(' ').includes(each)) };
}

/** A record that cannot be read was not written by this program. Only the operator can repair it. */
function storedClient(
  { id, metadata, secrets, registration }: ClientRecord,
  retryWindow: number,
): RegisteredClient | StorageUnusable {
  const read = readStoredClient(id, metadata, retryWindow);
  if (!read.ok) return new StorageUnusable(`the client ${id} in the store cannot be read: ${read.fault}`);
  const secretHashes = secrets.map(({ hash }) => hash);
  const { isPublic } = read;
  if (registration === undefined) return buildClient(read.client, { source: 'command', isPublic, secretHashes });
  const { usedAt } = registration;
  return { ...buildClient(read.client, { source: 'itself', isPublic, secretHashes }), usedAt };
}

export function buildClient(
  config: ClientConfig,
  kept: Pick<RegisteredClient, 'source' | 'isPublic' | 'secretHashes'>,
): RegisteredClient {
  return {
    id: config.client_id,
    name: config.client_name ?? config.client_id,
    ...kept,
    assertionKeys: usesKeys(config) ? { jwks: config.jwks, jwksUri: config.jwks_uri } : undefined,
    redirectUris: config.redirect_uris,
    scope: config.scope === undefined ? [] : (parseScope(config.scope) ?? []),
    grantTypes: config.grant_types,
    tokenFormat: config.access_token_format,
    // RFC 9700 §2.1.1: PKCE is mandatory for a public client.
    requirePkce: config.require_pkce || kept.isPublic,
    retryWindow: config.retry_window,
    session: config.session,
    claims: config.claims,
    postLogoutRedirectUris: config.post_logout_redirect_uris,
    backchannelLogoutUri: config.backchannel_logout_uri,
    defaultMaxAge: config.default_max_age === undefined ? undefined : Math.floor(config.default_max_age / 1000),
    idTokenAlg: config.id_token_signed_response_alg,
    userinfoAlg: config.userinfo_signed_response_alg,
    subjectType: config.subject_type,
    sectorIdentifierUri: config.sector_identifier_uri,
    introspect: config.introspect,
    events: config.events,
    keys: config.keys,
  };
}

function secretHashes(config: ClientConfig): readonly Uint8Array[] {
  if (config.client_secret_sha256 !== undefined) return [Buffer.from(config.client_secret_sha256, 'hex')];
  return config.client_secret === undefined ? [] : [sha256(config.client_secret)];
}

function usesKeys({ token_endpoint_auth_method: method }: ClientConfig): boolean {
  return method === 'private_key_jwt';
}

function isPublic(config: ClientConfig): boolean {
  return secretHashes(config).length === 0 && !usesKeys(config);
}
