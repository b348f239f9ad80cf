import { BoundedCache } from '../../base/bounded-cache.ts';
import type { Clock } from '../../base/clock.ts';
import { publicUrl } from '../../base/public-url.ts';
import { sha256 } from '../../base/secret.ts';
import type { Outage, Refused } from '../../base/verdict.ts';
import { within } from '../../base/within.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { CredentialCode } from '../message/codes.ts';
import type { FaultLog } from '../message/fault-log.ts';
import { type CallLimit, callLimit } from '../server-client/call-limit.ts';
import { type FailedFetch, FETCH_DEADLINE, type Fetched } from '../server-client/fetch-json.ts';
import type { AskAboutToken } from '../server-client/introspection-client.ts';
import { type Facts, type IdentitySource, identityOf } from './facts.ts';
import { judgeAnswer } from './introspection-answer.ts';

export interface IntrospectionRules extends IdentitySource {
  readonly cache: AuthorizationServerConfig['cache'];
  /** Milliseconds. */
  readonly skew: number;
  readonly maxLifetime: number;
}

export interface IntrospectionDependencies {
  readonly ask: AskAboutToken;
  /** The URL to ask, from the configuration or from the server's metadata. */
  readonly endpoint: () => Promise<string | FailedFetch>;
  /** Called when the endpoint changes, because answers of the old endpoint no longer count. */
  readonly moved: () => void;
  readonly clock: Clock;
  readonly faults: FaultLog;
  readonly out: (detail: string) => Outage;
  /** Gets each answer that is a JSON object, valid or not. */
  readonly heard?: ((answer: JsonObject) => void) | undefined;
}

export type Introspected = Facts | Refused<CredentialCode> | Outage;

export interface Introspection {
  /** Concurrent questions about one token are one call. `isKnown`: the last answer of its server was active. */
  verify(token: string, isKnown?: boolean): Introspected | Promise<Introspected>;
  /** Whether the last call failed recently, so that a caller with an older answer need not wait for another call. */
  isOut(): boolean;
  /** Cached answers and answers in flight are outdated, so they are fetched again. */
  forget(): void;
  negatives(): number;
  calls(): number;
}

/** If the server rejects the gateway's credentials, only the operator can correct this. */
function reasonOf({ detail, status }: FailedFetch): string {
  const refused = status === 401 || status === 403;
  return refused ? `${detail}: the server rejects this gateway's client_id or its secret` : detail;
}

const WAITING_PER_CALL = 16;
const OUT_FOR = 1_000;

interface Negative {
  readonly verdict: Refused<CredentialCode>;
  readonly until: number;
}

export function buildIntrospection(rules: IntrospectionRules, dependencies: IntrospectionDependencies): Introspection {
  return new SharedIntrospection(rules, dependencies);
}

class SharedIntrospection implements Introspection {
  readonly #rules: IntrospectionRules;
  readonly #dependencies: IntrospectionDependencies;
  readonly #limit: CallLimit;
  /** Recently rejected tokens, by their hash. */
  readonly #negatives: BoundedCache<Negative>;
  readonly #flights = new Map<string, Promise<Introspected>>();
  /** Monotonic milliseconds. */
  #outUntil = Number.NEGATIVE_INFINITY;
  #lastEndpoint: string | undefined;
  #calls = 0;

  constructor(rules: IntrospectionRules, dependencies: IntrospectionDependencies) {
    const { max_concurrent, negative_size } = rules.cache;
    this.#rules = rules;
    this.#dependencies = dependencies;
    this.#limit = callLimit(max_concurrent, max_concurrent * WAITING_PER_CALL);
    this.#negatives = new BoundedCache(negative_size);
  }

  verify(token: string, isKnown = false): Introspected | Promise<Introspected> {
    const flight = this.#flights.get(token);
    if (flight !== undefined) return flight;
    const digest = sha256(token).toString('latin1');
    const negative = this.#negatives.get(digest);
    if (negative !== undefined && this.#dependencies.clock.monotonic() < negative.until) return negative.verdict;
    return this.#fly(token, this.#call(token, digest, isKnown));
  }

  forget(): void {
    this.#flights.clear();
  }

  isOut(): boolean {
    return this.#dependencies.clock.monotonic() < this.#outUntil;
  }

  negatives(): number {
    return this.#negatives.size;
  }

  calls(): number {
    return this.#calls;
  }

  #fly(token: string, flight: Promise<Introspected>): Promise<Introspected> {
    this.#flights.set(token, flight);
    // After `forget`, another call may have taken its place.
    const landed = () => {
      if (this.#flights.get(token) === flight) this.#flights.delete(token);
    };
    flight.then(landed, landed);
    return flight;
  }

  async #call(token: string, digest: string, isKnown: boolean): Promise<Introspected> {
    const { clock, out } = this.#dependencies;
    const answer = await within(FETCH_DEADLINE, (signal) =>
      this.#limit.run(signal, () => this.#ask(token, signal), isKnown),
    );
    // Too many concurrent calls say nothing about the server.
    if (typeof answer === 'string') return out(`too many calls: ${answer}`);
    const verdict = this.#judge(answer);
    if (verdict.kind === 'refused')
      this.#negatives.set(digest, { verdict, until: clock.monotonic() + this.#rules.cache.negative_ttl });
    return verdict;
  }

  async #ask(token: string, signal: AbortSignal): Promise<Fetched> {
    const { ask, moved, endpoint: endpointOf } = this.#dependencies;
    const endpoint = await endpointOf();
    if (typeof endpoint !== 'string') return endpoint;
    if (this.#lastEndpoint !== undefined && endpoint !== this.#lastEndpoint) {
      this.#negatives.clear();
      moved();
    }
    this.#lastEndpoint = endpoint;
    this.#calls++;
    return ask(endpoint, token, signal);
  }

  #judge(answer: Fetched): Introspected {
    if (answer.kind === 'failed') return this.#lost(reasonOf(answer), answer);
    this.#dependencies.heard?.(answer.value);
    const { issuer, skew, maxLifetime, cache } = this.#rules;
    const verdict = judgeAnswer(answer.value, {
      issuer,
      now: this.#dependencies.clock.now() / 1000,
      skew: skew / 1000,
      maxLifetime: maxLifetime / 1000,
    });
    if (verdict.kind === 'babble') return this.#lost(verdict.detail);
    this.#dependencies.faults.recovered();
    if (verdict.kind === 'refused') return verdict;
    const serves = { asked: true, freshFor: cache.ttl, staleFor: cache.stale_if_error, leeway: 0 };
    return { kind: 'facts', identity: identityOf(answer.value, this.#rules), jwt: false, key: undefined, ...serves };
  }

  #lost(detail: string, { status, url }: Partial<FailedFetch> = {}): Outage {
    const { clock, faults, out } = this.#dependencies;
    // 401: the gateway's own credentials are wrong (RFC 7662 §2.3). The operator must correct them.
    const level = status === 401 || status === 403 ? 'error' : 'warn';
    faults.failed(detail, level, url ?? publicUrl(this.#lastEndpoint));
    this.#outUntil = clock.monotonic() + OUT_FOR;
    return out(detail);
  }
}
