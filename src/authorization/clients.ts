import { type Clock, seconds } from '../base/clock.ts';
import { sha256 } from '../base/secret.ts';
import type { ClientConfig, TokenFormat } from '../config/authorization.ts';
import { parseScope } from '../oauth/scope.ts';
import type { ClientRecord, Records } from '../storage/records.ts';

/** A registered client (RFC 6749 §2). */
export interface Client {
  readonly id: string;
  /** For people; the id where it has none. */
  readonly name: string;
  /** RFC 6749 §2.1: without a secret of its own. */
  readonly isPublic: boolean;
  /** SHA-256 of each live secret. A client whose secrets all ended is no public one. */
  readonly secretHashes: readonly Uint8Array[];
  readonly redirectUris: readonly string[];
  /** The upper bound of every grant. */
  readonly scope: readonly string[];
  readonly grantTypes: readonly string[];
  readonly tokenFormat: TokenFormat | undefined;
  readonly requirePkce: boolean;
  /** Milliseconds for which a refresh can be repeated. */
  readonly retryWindow: number;
  /** May use the browserless exchange. */
  readonly session: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
  /** May ask about any token. */
  readonly introspect: boolean;
}

/** Those of the file, then those that were registered by command. */
export interface Clients {
  find(id: string): Promise<Client | undefined>;
  list(): Promise<readonly Client[]>;
}

export function buildClients(registered: readonly ClientConfig[], records: Records, clock: Clock): Clients {
  const inFile = new Map(registered.map(clientOfFile).map((client) => [client.id, client]));
  return {
    async find(id) {
      const known = inFile.get(id);
      if (known !== undefined) return known;
      const record = await records.findClient(id, seconds(clock));
      return record && clientOfRecord(record);
    },
    async list() {
      const others = (await records.listClients(seconds(clock))).filter(({ id }) => !inFile.has(id));
      return [...inFile.values(), ...others.map(clientOfRecord)];
    },
  };
}

function clientOfFile(config: ClientConfig): Client {
  const hashes = secretHashes(config);
  return build(config, { isPublic: hashes.length === 0, secretHashes: hashes });
}

/** How a client is kept that was registered by command: as one of the file, without its secrets. */
export type StoredClient = Omit<ClientConfig, 'client_id' | 'client_secret' | 'client_secret_sha256'> & {
  readonly public: boolean;
};

function clientOfRecord({ id, metadata, secrets }: ClientRecord): Client {
  const stored = metadata as unknown as StoredClient;
  const secretHashes = secrets.map(({ hash }) => hash);
  return build({ ...stored, client_id: id }, { isPublic: stored.public, secretHashes });
}

function build(config: ClientConfig, secrets: Pick<Client, 'isPublic' | 'secretHashes'>): Client {
  return {
    id: config.client_id,
    name: config.client_name ?? config.client_id,
    ...secrets,
    redirectUris: config.redirect_uris,
    scope: config.scope === undefined ? [] : (parseScope(config.scope) ?? []),
    grantTypes: config.grant_types,
    tokenFormat: config.access_token_format,
    // RFC 9700 §2.1.1: a public client cannot be excused
    requirePkce: config.require_pkce || secrets.isPublic,
    retryWindow: config.retry_window,
    session: config.session,
    claims: config.claims,
    introspect: config.introspect,
  };
}

function secretHashes(config: ClientConfig): readonly Uint8Array[] {
  if (config.client_secret_sha256 !== undefined) return [Buffer.from(config.client_secret_sha256, 'hex')];
  return config.client_secret === undefined ? [] : [sha256(config.client_secret)];
}
