import { type Clock, seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { readStoredClient } from '../../config/load/stored-client.ts';
import type {
  AuthorizationConfig,
  ClientConfig,
  IdTokenAlgorithm,
  TokenFormat,
} from '../../config/schema/authorization.ts';
import { parseScope } from '../../oauth/scope.ts';
import { StorageUnusable } from '../../storage/engine/errors.ts';
import type { ClientRecord, Records } from '../../storage/records/records.ts';
import type { ClientLookup, DocumentClients } from './lookup.ts';

/** How the service knows a client. `itself`: by dynamic registration. `document`: by a metadata document at its id. */
export type ClientSource = 'file' | 'command' | 'itself' | 'document';

/** A registered client (RFC 6749 §2). */
export interface RegisteredClient {
  readonly id: string;
  /** A client of the file changes only with the file. */
  readonly source: ClientSource;
  /** The display name; the id if there is none. */
  readonly name: string;
  /** RFC 6749 §2.1: a client without a secret. */
  readonly isPublic: boolean;
  /** SHA-256 of each valid secret. A client whose secrets have all expired is still no public client. */
  readonly secretHashes: readonly Uint8Array[];
  readonly redirectUris: readonly string[];
  /** No grant has more scopes than these. */
  readonly scope: readonly string[];
  readonly grantTypes: readonly string[];
  readonly tokenFormat: TokenFormat | undefined;
  readonly requirePkce: boolean;
  /** Milliseconds for which a refresh can be repeated. */
  readonly retryWindow: number;
  /** May use the browserless exchange. */
  readonly session: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly postLogoutRedirectUris: readonly string[];
  readonly backchannelLogoutUri: string | undefined;
  /** Seconds. */
  readonly defaultMaxAge: number | undefined;
  readonly idTokenAlg: IdTokenAlgorithm | undefined;
  readonly subjectType: 'public' | 'pairwise' | undefined;
  readonly sectorIdentifierUri: string | undefined;
  /** May introspect any token. */
  readonly introspect: boolean;
  /** May follow the revocation feed. */
  readonly events: boolean;
  /** May fetch the keys of users, even if they are secret. */
  readonly keys: boolean;
}

/** True if no operator has checked the client. Its name and its addresses may change at any time. */
export function isSelfMade({ source }: Pick<RegisteredClient, 'source'>): boolean {
  return source === 'itself' || source === 'document';
}

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
  /** All readable clients. An unreadable one does not hide the others. */
  list(): Promise<readonly RegisteredClient[]>;
}

export function buildClients(
  { clients, tokens }: Pick<AuthorizationConfig, 'clients' | 'tokens'>,
  records: Records,
  clock: Clock,
  documents: DocumentClients,
): Clients {
  const inFile = new Map(clients.map(clientOfFile).map((client) => [client.id, client]));
  const read = (record: ClientRecord) => storedClient(record, tokens.refresh.retry_window);
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
      return [
        ...inFile.values(),
        ...others.map(read).flatMap((client) => (client instanceof StorageUnusable ? [] : [client])),
      ];
    },
  };
}

function clientOfFile(config: ClientConfig): RegisteredClient {
  const hashes = secretHashes(config);
  return buildClient(config, { source: 'file', isPublic: hashes.length === 0, secretHashes: hashes });
}

/** This program did not write such a record. Only the operator can repair it. */
function storedClient(
  { id, metadata, secrets }: ClientRecord,
  retryWindow: number,
): RegisteredClient | StorageUnusable {
  const read = readStoredClient(id, metadata, retryWindow);
  if (!read.ok) return new StorageUnusable(`the client ${id} in the store cannot be read: ${read.fault}`);
  const secretHashes = secrets.map(({ hash }) => hash);
  return buildClient(read.client, { source: 'command', isPublic: read.isPublic, secretHashes });
}

export function buildClient(
  config: ClientConfig,
  kept: Pick<RegisteredClient, 'source' | 'isPublic' | 'secretHashes'>,
): RegisteredClient {
  return {
    id: config.client_id,
    name: config.client_name ?? config.client_id,
    ...kept,
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
