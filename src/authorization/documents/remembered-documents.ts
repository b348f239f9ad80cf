import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { ClientLookup } from '../clients/lookup.ts';
import type { Answered, FetchOutcome, Outbound } from '../outbound/outbound.ts';
import type { FetchLimits } from './fetch-limits.ts';
import { type FreshnessLimits, freshFor } from './freshness.ts';

export type Failure = Extract<ClientLookup, { readonly kind: 'refused' | 'outage' }>;

export type DocumentLookup<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | Failure
  | { readonly kind: 'limited'; readonly retryAfter: number };

export interface DocumentSource<Value> extends FreshnessLimits {
  readonly outbound: Pick<Outbound, 'get'>;
  /** Undefined: an operator chose the URLs. */
  readonly limits: FetchLimits | undefined;
  readonly clock: Clock;
  /** Bytes. */
  readonly largest: number;
  /** What a reader of an error calls the document, such as `key set`. */
  readonly name: string;
  /** Counts one request. */
  readonly count: (result: DocumentLookup<Value>['kind']) => void;
  /** A text says why the document cannot be used. */
  read(url: string, answer: Answered): Promise<{ readonly value: Value } | string>;
}

/** Times are those of the monotonic clock. */
interface Kept<Value> {
  readonly value: Value;
  readonly readAt: number;
  readonly freshUntil: number;
  /** Until then, the document may be used while its host does not answer. */
  readonly usableUntil: number;
}

/** Milliseconds for which a failure is remembered, so that a host in trouble gets few requests. */
const FAILED_FOR = 60_000;

/** Failures have places of their own. So invented URLs cannot displace documents that are in use. */
const PLACES = { documents: 1_000, failures: 10_000 } as const;

/** Documents at URLs of clients, each read again when its time is over. */
export class RememberedDocuments<Value> {
  readonly #source: DocumentSource<Value>;
  readonly #documents = new LRUCache<string, Kept<Value>>({ max: PLACES.documents });
  readonly #failures = new LRUCache<string, { readonly failure: Failure; readonly until: number }>({
    max: PLACES.failures,
  });
  readonly #reading = new Map<string, Promise<DocumentLookup<Value>>>();

  constructor(source: DocumentSource<Value>) {
    this.#source = source;
  }

  /** The document as this process last read it; its time may be over. */
  peek(url: string): Value | undefined {
    return this.#documents.peek(url)?.value;
  }

  async get(url: string, address: string): Promise<DocumentLookup<Value>> {
    const kept = this.#documents.get(url);
    if (kept !== undefined && this.#now < kept.freshUntil) return { kind: 'read', value: kept.value };
    return this.#getAgain(url, address, kept);
  }

  /** For a document that may have changed before its time is over. At most one request a minute. */
  async getNewer(url: string, address: string): Promise<DocumentLookup<Value>> {
    const kept = this.#documents.get(url);
    const isRecent = kept !== undefined && this.#now < kept.readAt + FAILED_FOR;
    return isRecent ? { kind: 'read', value: kept.value } : this.#getAgain(url, address, kept);
  }

  async #getAgain(url: string, address: string, kept: Kept<Value> | undefined): Promise<DocumentLookup<Value>> {
    const looked = this.#failureOf(url) ?? (await this.#readOnce(url, address));
    const isOutage = looked.kind === 'outage' || looked.kind === 'limited';
    const isUsable = isOutage && kept !== undefined && this.#now < kept.usableUntil;
    return isUsable ? { kind: 'read', value: kept.value } : looked;
  }

  get #now(): number {
    return this.#source.clock.monotonic();
  }

  #failureOf(url: string): Failure | undefined {
    const failed = this.#failures.get(url);
    return failed !== undefined && this.#now < failed.until ? failed.failure : undefined;
  }

  /** Callers that ask at the same time share one request. */
  async #readOnce(url: string, address: string): Promise<DocumentLookup<Value>> {
    const reading = this.#reading.get(url);
    if (reading === undefined) return this.#begin(url, address);
    const looked = await reading;
    // The limit may be about the address of the first caller, so each other caller tries for itself.
    return looked.kind === 'limited' ? this.#readOnce(url, address) : looked;
  }

  #begin(url: string, address: string): Promise<DocumentLookup<Value>> {
    const reading = this.#readCounted(url, address).finally(() => this.#reading.delete(url));
    this.#reading.set(url, reading);
    return reading;
  }

  async #readCounted(url: string, address: string): Promise<DocumentLookup<Value>> {
    const looked = await this.#read(url, address);
    this.#source.count(looked.kind);
    return looked;
  }

  async #read(url: string, address: string): Promise<DocumentLookup<Value>> {
    const { outbound, limits, largest } = this.#source;
    const get = () => outbound.get(url, largest);
    const outcome = limits === undefined ? await get() : await limits.within({ host: hostOf(url), address }, get);
    if (typeof outcome === 'number') return { kind: 'limited', retryAfter: outcome };
    const looked = isAnswer(outcome) ? await this.#keep(url, outcome) : this.#failureFrom(outcome);
    if (looked.kind === 'refused' || looked.kind === 'outage') this.#remember(url, looked);
    return looked;
  }

  async #keep(url: string, answer: Answered): Promise<DocumentLookup<Value>> {
    const read = await this.#source.read(url, answer);
    if (typeof read === 'string') return this.#refused(read);
    const { value } = read;
    const [now, { max_ttl }] = [this.#now, this.#source];
    const freshUntil = now + freshFor(answer.headers, this.#source);
    this.#documents.set(url, { value, readAt: now, freshUntil, usableUntil: now + max_ttl });
    this.#failures.delete(url);
    return { kind: 'read', value };
  }

  /** A refusal ends an old document at once: its host says that the document is no longer true. */
  #remember(url: string, failure: Failure): void {
    if (failure.kind === 'refused') this.#documents.delete(url);
    this.#failures.set(url, { failure, until: this.#now + FAILED_FOR });
  }

  #refused(reason: string): Failure {
    return { kind: 'refused', reason: `The ${this.#source.name} of the client is not acceptable: ${reason}.` };
  }

  /** The reason is for strangers, so it does not say which addresses a host has. */
  #failureFrom(outcome: FetchOutcome): Failure {
    const { name } = this.#source;
    if (outcome.kind === 'too_large') return this.#refused('it is too large');
    if (outcome.kind === 'forbidden')
      return { kind: 'refused', reason: `The host of the ${name} has no public address.`, detail: outcome.reason };
    if (outcome.kind === 'failed')
      return { kind: 'outage', reason: `The host of the ${name} did not answer.`, detail: outcome.reason };
    const { status } = outcome;
    if (status < 500 && !passing.has(status)) return this.#refused(`its host answers with status ${status}`);
    return { kind: 'outage', reason: `The host of the ${name} answers with status ${status}.` };
  }
}

/** Without the port: all ports of a host are one machine to its owner. */
function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? '';
}

/**
 * These say nothing about the document. A firewall answers 403 to a service that asks too often, and strangers can make the
 * service ask.
 */
const passing: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

function isAnswer(outcome: FetchOutcome): outcome is Answered {
  return outcome.kind === 'answered' && outcome.status === 200;
}
