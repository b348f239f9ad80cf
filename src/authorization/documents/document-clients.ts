import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { readStoredClient } from '../../config/load/stored-client.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { clientUrlFault, matchesClientUrl, parseClientUrlPattern } from '../../config/words/client-url.ts';
import type { Counters } from '../../counters/counters.ts';
import { parseScope } from '../../oauth/scope.ts';
import { buildClient, type RegisteredClient } from '../clients/clients.ts';
import type { ClientLookup, DocumentClients } from '../clients/lookup.ts';
import type { ClientMetadata } from '../clients/self-described.ts';
import type { Answered, FetchOutcome, Outbound } from '../outbound/outbound.ts';
import { FetchLimits } from './fetch-limits.ts';
import { freshFor } from './freshness.ts';
import { readMetadataDocument } from './metadata-document.ts';

export interface DocumentDependencies {
  readonly config: Pick<AuthorizationConfig, 'issuer' | 'registration' | 'tokens'>;
  /** For URLs of strangers. */
  readonly outbound: Pick<Outbound, 'get'>;
  readonly counters: Pick<Counters, 'take'>;
  readonly clock: Clock;
}

export function buildDocumentClients(deps: DocumentDependencies): DocumentClients {
  return deps.config.registration.cimd.enabled ? new ReadDocuments(deps) : none;
}

const none: DocumentClients = { glance: () => undefined, look: async () => ({ kind: 'unknown' }) };

/** Times are those of the monotonic clock. */
interface Kept {
  readonly client: RegisteredClient;
  readonly freshUntil: number;
  /** Until then, the document may be used while its host does not answer. */
  readonly usableUntil: number;
}

type Failure = Extract<ClientLookup, { readonly kind: 'refused' | 'outage' }>;

/** Milliseconds for which a failure is remembered, so that a host in trouble gets few requests. */
const FAILED_FOR = 60_000;

/** Failures have places of their own. So invented ids cannot displace documents that are in use. */
const PLACES = { documents: 1_000, failures: 10_000 } as const;

class ReadDocuments implements DocumentClients {
  readonly #deps: DocumentDependencies;
  readonly #patterns: readonly NonNullable<ReturnType<typeof parseClientUrlPattern>>[];
  readonly #scope: readonly string[];
  readonly #limits: FetchLimits;
  readonly #documents = new LRUCache<string, Kept>({ max: PLACES.documents });
  readonly #failures = new LRUCache<string, { readonly failure: Failure; readonly until: number }>({
    max: PLACES.failures,
  });
  readonly #reading = new Map<string, Promise<ClientLookup>>();

  constructor(deps: DocumentDependencies) {
    const { allow, scope } = deps.config.registration.cimd;
    this.#deps = deps;
    this.#patterns = allow.map(parseClientUrlPattern).filter((pattern) => pattern !== undefined);
    this.#scope = parseScope(scope ?? '') ?? [];
    this.#limits = new FetchLimits(deps.counters);
  }

  glance(id: string): RegisteredClient | undefined {
    if (!isUrl(id) || this.#faultOf(id) !== undefined) return undefined;
    return this.#documents.peek(id)?.client ?? this.#undescribed(id);
  }

  async look(id: string, address: string): Promise<ClientLookup> {
    if (!isUrl(id)) return { kind: 'unknown' };
    const fault = this.#faultOf(id);
    if (fault !== undefined) return { kind: 'refused', reason: `The client id is not acceptable: ${fault}.` };
    const kept = this.#documents.get(id);
    if (kept !== undefined && this.#now < kept.freshUntil) return { kind: 'found', client: kept.client };
    const looked = this.#failureOf(id) ?? (await this.#readOnce(id, address));
    const isOutage = looked.kind === 'outage' || looked.kind === 'limited';
    const isUsable = isOutage && kept !== undefined && this.#now < kept.usableUntil;
    return isUsable ? { kind: 'found', client: kept.client } : looked;
  }

  get #now(): number {
    return this.#deps.clock.monotonic();
  }

  #faultOf(id: string): string | undefined {
    const fault = clientUrlFault(id);
    if (fault !== undefined) return fault;
    const url = new URL(id);
    // A request to this service itself could cause the next one.
    if (id.startsWith(`${this.#deps.config.issuer.replace(/\/$/, '')}/oauth2/`))
      return 'it is an address of this service';
    if (this.#patterns.some((pattern) => matchesClientUrl(pattern, url))) return undefined;
    return 'this service does not allow its host';
  }

  #failureOf(id: string): Failure | undefined {
    const failed = this.#failures.get(id);
    return failed !== undefined && this.#now < failed.until ? failed.failure : undefined;
  }

  /** Callers that ask at the same time share one request. */
  #readOnce(id: string, address: string): Promise<ClientLookup> {
    const reading = this.#reading.get(id) ?? this.#read(id, address).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #read(id: string, address: string): Promise<ClientLookup> {
    const { outbound, config } = this.#deps;
    const { host } = new URL(id);
    const outcome = await this.#limits.within({ host, address }, () => outbound.get(id, config.registration.cimd.size));
    if (typeof outcome === 'number') return { kind: 'limited', retryAfter: outcome };
    const looked = isAnswer(outcome) ? this.#keep(id, outcome) : failureOf(outcome);
    if (looked.kind === 'refused' || looked.kind === 'outage') this.#remember(id, looked);
    return looked;
  }

  #keep(id: string, answer: Answered): ClientLookup {
    const { max_ttl, ttl } = this.#deps.config.registration.cimd;
    const read = readMetadataDocument(id, answer, this.#scope);
    if (read.kind === 'refused') return refusedDocument(read.reason);
    const client = this.#described(id, read.metadata);
    if (client === undefined) return refusedDocument('it is not valid');
    const freshUntil = this.#now + freshFor(answer.headers, { ttl, max_ttl });
    this.#documents.set(id, { client, freshUntil, usableUntil: this.#now + max_ttl });
    this.#failures.delete(id);
    return { kind: 'found', client };
  }

  /** A refusal ends an old document at once: its host says that it is no longer true. */
  #remember(id: string, failure: Failure): void {
    if (failure.kind === 'refused') this.#documents.delete(id);
    this.#failures.set(id, { failure, until: this.#now + FAILED_FOR });
  }

  #described(id: string, metadata: ClientMetadata): RegisteredClient | undefined {
    const isPublic = metadata.token_endpoint_auth_method === 'none';
    const read = readStoredClient(id, { ...metadata, public: isPublic }, this.#deps.config.tokens.refresh.retry_window);
    return read.ok ? buildClient(read.client, { source: 'document', isPublic, secretHashes: [] }) : undefined;
  }

  #undescribed(id: string): RegisteredClient | undefined {
    return this.#described(id, {
      redirect_uris: [],
      grant_types: [],
      response_types: [],
      ...(this.#scope.length > 0 && { scope: this.#scope.join(' ') }),
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    });
  }
}

/** An id that looks like a URL gets a reason, and any other id is unknown. */
function isUrl(id: string): boolean {
  return /^https?:/i.test(id);
}

function isAnswer(outcome: FetchOutcome): outcome is Answered {
  return outcome.kind === 'answered' && outcome.status === 200;
}

function refusedDocument(reason: string): Failure {
  return { kind: 'refused', reason: `The metadata document of the client is not acceptable: ${reason}.` };
}

/** The reason is for strangers, so it does not say which addresses a host has. */
function failureOf(outcome: FetchOutcome): Failure {
  if (outcome.kind === 'too_large') return refusedDocument('it is too large');
  if (outcome.kind === 'forbidden')
    return { kind: 'refused', reason: 'The host of the client id has no public address.', detail: outcome.reason };
  if (outcome.kind === 'failed')
    return { kind: 'outage', reason: 'The host of the client id did not answer.', detail: outcome.reason };
  const { status } = outcome;
  const isOutage = status >= 500 || status === 408 || status === 429;
  if (!isOutage) return refusedDocument(`its host answers with status ${status}`);
  return { kind: 'outage', reason: `The host of the client id answers with status ${status}.` };
}
