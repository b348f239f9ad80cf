import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import type { Outage, Refused } from '../../base/verdict.ts';
import { within } from '../../base/within.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import type { CredentialCode } from '../codes.ts';
import { callLimit } from './call-limit.ts';
import { type Facts, type IdentitySource, identityOf } from './facts.ts';
import type { FaultLog } from './fault-log.ts';
import { DEADLINE, type FailedFetch, type Fetched } from './fetch-json.ts';
import { judgeAnswer } from './introspection-answer.ts';
import type { AskAboutToken } from './introspection-client.ts';

export interface IntrospectionRules extends IdentitySource {
  readonly cache: AuthorizationServerConfig['cache'];
  /** Milliseconds. */
  readonly skew: number;
  readonly maxLifetime: number;
}

export interface IntrospectionDependencies {
  readonly ask: AskAboutToken;
  /** Where to ask: from the configuration, or from the server's metadata. */
  readonly endpoint: () => Promise<string | FailedFetch>;
  /** What an endpoint said is forgotten when another one takes its place. */
  readonly moved: () => void;
  readonly clock: Clock;
  readonly faults: FaultLog;
  readonly out: (detail: string) => Outage;
}

export type Introspected = Facts | Refused<CredentialCode> | Outage;

export interface Introspection {
  /** Concurrent questions about one token are one call. `isKnown`: it was active when its server was asked last. */
  verify(token: string, isKnown?: boolean): Introspected | Promise<Introspected>;
  /** Whether the last call failed a moment ago, so that whoever holds an older answer need not wait for the next. */
  isOut(): boolean;
  /** What it says and what is on its way is of yesterday: asked anew. */
  forget(): void;
  negatives(): number;
  calls(): number;
}

/** A refusal of the gateway itself is the one failure that its operator can mend. */
function reasonOf({ detail, status }: FailedFetch): string {
  const refused = status === 401 || status === 403;
  return refused ? `${detail}: the server refuses this gateway's client_id, or the proof of it` : detail;
}

const WAITING_PER_CALL = 16;
const OUT_FOR = 1_000;

interface Negative {
  readonly verdict: Refused<CredentialCode>;
  readonly until: number;
}

export function buildIntrospection(rules: IntrospectionRules, dependencies: IntrospectionDependencies): Introspection {
  const { clock, faults, out } = dependencies;
  const { cache } = rules;
  const limit = callLimit(cache.max_concurrent, cache.max_concurrent * WAITING_PER_CALL);
  const negatives = new LRUCache<string, Negative>({ max: cache.negative_size });
  const flights = new Map<string, Promise<Introspected>>();
  let outUntil = Number.NEGATIVE_INFINITY;
  let lastEndpoint: string | undefined;
  let calls = 0;

  const ask = async (token: string, signal: AbortSignal): Promise<Fetched> => {
    const endpoint = await dependencies.endpoint();
    if (typeof endpoint !== 'string') return endpoint;
    if (lastEndpoint !== undefined && endpoint !== lastEndpoint) {
      negatives.clear();
      dependencies.moved();
    }
    lastEndpoint = endpoint;
    calls++;
    return dependencies.ask(endpoint, token, signal);
  };

  const lost = (detail: string, status?: number): Outage => {
    // 401: it is our own credentials that are wrong (RFC 7662 §2.3), which somebody has to mend.
    faults.failed(detail, status === 401 || status === 403 ? 'error' : 'warn');
    outUntil = clock.monotonic() + OUT_FOR;
    return out(detail);
  };

  const judge = (answer: Fetched): Introspected => {
    if (answer.kind === 'failed') return lost(reasonOf(answer), answer.status);
    const verdict = judgeAnswer(answer.value, {
      issuer: rules.issuer,
      now: clock.now() / 1000,
      skew: rules.skew / 1000,
      maxLifetime: rules.maxLifetime / 1000,
    });
    if (verdict.kind === 'babble') return lost(verdict.detail);
    faults.recovered();
    if (verdict.kind === 'refused') return verdict;
    const serves = { asked: true, freshFor: cache.ttl, staleFor: cache.stale_if_error, leeway: 0 };
    return { kind: 'facts', identity: identityOf(answer.value, rules), jwt: false, key: undefined, ...serves };
  };

  const call = async (token: string, digest: string, isKnown: boolean): Promise<Introspected> => {
    const answer = await within(DEADLINE, (signal) => limit.run(signal, () => ask(token, signal), isKnown));
    // That too many ask at once says nothing about the server.
    if (typeof answer === 'string') return out(`too many calls: ${answer}`);
    const verdict = judge(answer);
    if (verdict.kind === 'refused') negatives.set(digest, { verdict, until: clock.monotonic() + cache.negative_ttl });
    return verdict;
  };

  return {
    verify(token, isKnown = false) {
      const flight = flights.get(token);
      if (flight !== undefined) return flight;
      const digest = sha256(token).toString('latin1');
      const negative = negatives.get(digest);
      if (negative !== undefined && clock.monotonic() < negative.until) return negative.verdict;
      const next = call(token, digest, isKnown);
      flights.set(token, next);
      // Another one may have taken its place since, when it was forgotten.
      const landed = () => void (flights.get(token) === next && flights.delete(token));
      next.then(landed, landed);
      return next;
    },
    forget: () => flights.clear(),
    isOut: () => clock.monotonic() < outUntil,
    negatives: () => negatives.size,
    calls: () => calls,
  };
}
