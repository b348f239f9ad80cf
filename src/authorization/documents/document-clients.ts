import type { Clock } from '../../base/clock.ts';
import { readStoredClient } from '../../config/load/stored-client.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { clientUrlFault, matchesClientUrl, parseClientUrlPattern } from '../../config/words/client-url.ts';
import { parseScope } from '../../oauth/scope.ts';
import { buildClient, type RegisteredClient } from '../clients/clients.ts';
import { inlineKeysFault } from '../clients/inline-keys.ts';
import type { ClientLookup, DocumentClients } from '../clients/lookup.ts';
import type { ClientMetadata } from '../clients/self-described.ts';
import type { Answered, Outbound } from '../outbound/outbound.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { FetchLimits } from './fetch-limits.ts';
import { readMetadataDocument } from './metadata-document.ts';
import { RememberedDocuments } from './remembered-documents.ts';

export interface DocumentDependencies {
  readonly config: Pick<AuthorizationConfig, 'issuer' | 'registration' | 'tokens'>;
  /** For URLs of strangers. */
  readonly outbound: Pick<Outbound, 'get'>;
  readonly limits: FetchLimits;
  readonly metrics: Pick<Metrics, 'documentRead'>;
  readonly clock: Clock;
}

export function buildDocumentClients(deps: DocumentDependencies): DocumentClients {
  return deps.config.registration.cimd.enabled ? new ReadDocuments(deps) : none;
}

const none: DocumentClients = { glance: () => undefined, look: async () => ({ kind: 'unknown' }) };

class ReadDocuments implements DocumentClients {
  readonly #config: DocumentDependencies['config'];
  readonly #patterns: readonly NonNullable<ReturnType<typeof parseClientUrlPattern>>[];
  readonly #scope: readonly string[];
  readonly #documents: RememberedDocuments<RegisteredClient>;

  constructor({ config, metrics, ...deps }: DocumentDependencies) {
    const { allow, scope, size, ttl, max_ttl } = config.registration.cimd;
    this.#config = config;
    this.#patterns = allow.map(parseClientUrlPattern).filter((pattern) => pattern !== undefined);
    this.#scope = parseScope(scope ?? '') ?? [];
    const read = (id: string, answer: Answered) => this.#read(id, answer);
    this.#documents = new RememberedDocuments({
      ...deps,
      name: 'metadata document',
      count: (result) => metrics.documentRead('metadata', result),
      largest: size,
      ttl,
      max_ttl,
      read,
    });
  }

  glance(id: string): RegisteredClient | undefined {
    if (!isUrl(id) || this.#faultOf(id) !== undefined) return undefined;
    return this.#documents.peek(id) ?? this.#undescribed(id);
  }

  async look(id: string, address: string): Promise<ClientLookup> {
    if (!isUrl(id)) return { kind: 'unknown' };
    const fault = this.#faultOf(id);
    if (fault !== undefined) return { kind: 'refused', reason: `The client id is not acceptable: ${fault}.` };
    const looked = await this.#documents.get(id, address);
    return looked.kind === 'read' ? { kind: 'found', client: looked.value } : looked;
  }

  #faultOf(id: string): string | undefined {
    const fault = clientUrlFault(id);
    if (fault !== undefined) return fault;
    const url = new URL(id);
    // A request to this service itself could cause the next one.
    if (id.startsWith(`${this.#config.issuer.replace(/\/$/, '')}/oauth2/`)) return 'it is an address of this service';
    if (this.#patterns.some((pattern) => matchesClientUrl(pattern, url))) return undefined;
    return 'it has a host that this service does not allow';
  }

  async #read(id: string, answer: Answered): Promise<{ readonly value: RegisteredClient } | string> {
    const read = readMetadataDocument(id, answer, this.#scope);
    if (read.kind === 'refused') return read.reason;
    const { metadata } = read;
    const fault = await inlineKeysFault(metadata.jwks);
    if (fault !== undefined) return fault;
    return this.#described(id, metadata);
  }

  /** A text: what is wrong with the document. */
  #described(id: string, metadata: ClientMetadata): { readonly value: RegisteredClient } | string {
    const isPublic = metadata.token_endpoint_auth_method === 'none';
    const { retry_window } = this.#config.tokens.refresh;
    const read = readStoredClient(id, { ...metadata, public: isPublic }, retry_window);
    if (!read.ok) return `a value in it is not valid: ${read.fault}`;
    return { value: buildClient(read.client, { source: 'document', isPublic, secretHashes: [] }) };
  }

  #undescribed(id: string): RegisteredClient | undefined {
    const described = this.#described(id, {
      redirect_uris: [],
      grant_types: [],
      response_types: [],
      ...(this.#scope.length > 0 && { scope: this.#scope.join(' ') }),
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    });
    return typeof described === 'string' ? undefined : described.value;
  }
}

/** An id that looks like a URL gets a reason, and any other id is unknown. */
function isUrl(id: string): boolean {
  return /^https?:/i.test(id);
}
