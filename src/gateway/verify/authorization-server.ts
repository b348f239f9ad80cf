import type { Outage, Refused } from '../../base/verdict.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { introspects } from '../../config/schema/introspects.ts';
import { eventFault } from '../../jwt/claims.ts';
import type { ParsedJwt } from '../../jwt/parse.ts';
import type { CredentialCode } from '../message/codes.ts';
import type { Verification, WatchToken } from '../message/identity.ts';
import type { TokenReceiver } from '../receiver/token-receiver.ts';
import { marksOf } from '../revocation/marks.ts';
import type { OpenStreams } from '../revocation/open-streams.ts';
import { type FeedStats, NO_FEED, type Revocations } from '../revocation/revocations.ts';
import type { FetchJson } from '../server-client/fetch-json.ts';
import type { KeySet } from '../server-client/key-set.ts';
import { type Facts, narrow } from './facts.ts';
import type { FactsCache, Remembered } from './facts-cache.ts';
import type { TokenStore } from './token-store.ts';
import type { Introspection } from './verify-introspection.ts';
import type { VerifyJwt } from './verify-jwt.ts';

export interface ServerStats {
  readonly server: string;
  readonly positive: number;
  readonly negative: number;
  readonly hits: number;
  readonly misses: number;
  readonly introspections: number;
  readonly jwks_age_seconds?: number;
  /** Cached keys of single users, and how often the gateway fetched one. */
  readonly userKeys?: number;
  readonly userKeyFetches?: number;
  /** Absent if the server has no feed. */
  readonly feed?: FeedStats;
}

/** An authorization server. All routes share it. */
export interface AuthorizationServer {
  readonly name: string;
  readonly issuer: string;
  readonly tokenPrefix: string;
  /** Whether this server may have issued an opaque token. */
  readonly introspects: boolean;
  /** Only the client credentials for introspection are missing. */
  readonly lacksClient: boolean;
  recall(token: string): Remembered | undefined;
  verifyJwt(jwt: ParsedJwt): Promise<Verification>;
  verifyOpaque(token: string): Promise<Verification>;
  readonly watch: WatchToken;
  /** Accepts what the server reports. Undefined: it reports nothing to this process. */
  readonly receiver: TokenReceiver | undefined;
  /** Removes a token that no client sends again from the cache. */
  forget(token: string): void;
  /** Whether the feed may have missed revocations, so that only the server itself can confirm a token. */
  isInDoubt(): boolean;
  /** Sends requests to this server, over connections that trust only its authorities. */
  readonly fetch: FetchJson;
  /** Whether the first attempt to load everything it needs has ended. */
  tried(): boolean;
  /** Whether the gateway can verify this server's tokens. Undefined: only an introspection call could tell. */
  usable(): boolean | undefined;
  /** Why it is unusable, from the last attempt. Undefined: there was none. */
  fault(): string | undefined;
  stats(): ServerStats;
  /** Fetches the keys, and checks the store. Later fetches need no call. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export type Mode = AuthorizationServerConfig['verify'];
export interface UserKeyStats {
  size(): number;
  fetches(): number;
}
type Finding = Facts | Refused<CredentialCode> | Outage;
type Find = () => Finding | Promise<Finding>;

export interface ServerParts {
  readonly name: string;
  readonly config: AuthorizationServerConfig;
  readonly cache: FactsCache;
  readonly keys: KeySet | undefined;
  readonly local: VerifyJwt;
  readonly introspection: Introspection;
  /** What `introspection` asks, if that is a store and no endpoint. */
  readonly store: TokenStore | undefined;
  readonly revocations: Revocations;
  readonly streams: OpenStreams;
  readonly fetch: FetchJson;
  readonly out: (detail: string) => Outage;
  readonly userKeys: UserKeyStats | undefined;
  readonly receiver: TokenReceiver | undefined;
  readonly release: () => Promise<void>;
}

/** The keys that verify a JWT. Opaque tokens need introspection. */
const judges: Record<Mode, (parts: ServerParts, jwt: ParsedJwt) => Finding | Promise<Finding>> = {
  auto: ({ local }, jwt) => local(jwt),
  jwt: ({ local }, jwt) => local(jwt),
  introspection: async ({ introspection, cache }, { token, claims }) =>
    eventFault(claims) ?? asJwt(await introspection.verify(token, cache.knows(token))),
  both: judgeTwice,
  store: judgeTwice,
};

/** While the feed is silent, a valid signature is not enough. */
const doubtful: Record<'introspect' | 'deny', (typeof judges)[Mode]> = {
  introspect: judgeTwice,
  async deny({ local, out }, jwt) {
    const signed = await local(jwt);
    return signed.kind === 'facts' ? out(NOT_IN_STEP) : signed;
  },
};

export const NOT_IN_STEP = 'the revocation feed is not up to date';

/** Modes that always ask the token's server or store. */
const ASKS: ReadonlySet<Mode> = new Set(['introspection', 'both', 'store']);

function judge(parts: ServerParts, jwt: ParsedJwt): Finding | Promise<Finding> {
  const { verify } = parts.config;
  const doubt = ASKS.has(verify) ? undefined : parts.revocations.doubt();
  return (doubt === undefined ? judges[verify] : doubtful[doubt])(parts, jwt);
}

/** A token with a valid signature counts as a known one. */
async function judgeTwice({ local, introspection, config }: ServerParts, jwt: ParsedJwt): Promise<Finding> {
  const signed = await local(jwt);
  if (signed.kind !== 'facts') return signed;
  const said = await introspection.verify(jwt.token, true);
  return said.kind === 'facts' ? narrow(signed, said, config.scope_claims) : said;
}

function asJwt(finding: Finding): Finding {
  return finding.kind === 'facts' ? { ...finding, jwt: true } : finding;
}

/** `verify: jwt` forbids introspection. Without this setting, missing client credentials may be a mistake. */
export function lacksClient({ verify, client_id }: Pick<AuthorizationServerConfig, 'verify' | 'client_id'>): boolean {
  return verify === 'auto' && client_id === undefined;
}

/** How many times the gateway asks again, because a revocation may have been missed meanwhile. */
const MOST_TRIES = 3;

export function authorizationServer(parts: ServerParts): AuthorizationServer {
  return new OpenedServer(parts);
}

class OpenedServer implements AuthorizationServer {
  readonly name: string;
  readonly issuer: string;
  readonly tokenPrefix: string;
  readonly introspects: boolean;
  readonly lacksClient: boolean;
  readonly #parts: ServerParts;
  readonly #cache: FactsCache;
  #hits = 0;
  #misses = 0;
  #started: Promise<void> | undefined;

  constructor(parts: ServerParts) {
    const { name, config, cache } = parts;
    this.name = name;
    this.issuer = config.issuer;
    this.tokenPrefix = config.token_prefix ?? '';
    this.introspects = config.verify === 'store' || introspects(config);
    this.lacksClient = lacksClient(config);
    this.#parts = parts;
    this.#cache = cache;
  }

  get fetch(): FetchJson {
    return this.#parts.fetch;
  }

  get receiver(): TokenReceiver | undefined {
    return this.#parts.receiver;
  }

  forget(token: string): void {
    this.#cache.forget(token);
  }

  isInDoubt(): boolean {
    return this.#parts.revocations.doubt() !== undefined;
  }

  tried(): boolean {
    const { keys, store } = this.#parts;
    return (keys?.tried() ?? true) && (store?.tried() ?? true);
  }

  usable(): boolean | undefined {
    const { keys, store, config } = this.#parts;
    return store?.usable() ?? (introspects(config) ? undefined : keys?.usable());
  }

  fault(): string | undefined {
    const { keys, store } = this.#parts;
    return store === undefined ? keys?.fault() : store.fault();
  }

  recall(token: string): Remembered | undefined {
    const remembered = this.#cache.get(token);
    if (remembered !== undefined) this.#hits++;
    return remembered;
  }

  verifyJwt(jwt: ParsedJwt): Promise<Verification> {
    return this.#settle(jwt.token, () => judge(this.#parts, jwt), jwt.header.kid);
  }

  verifyOpaque(token: string): Promise<Verification> {
    return this.#settle(token, () => this.#parts.introspection.verify(token, this.#cache.knows(token)));
  }

  /** A property, because routes pass it on without its object. */
  readonly watch: WatchToken = ({ marks, expiresAt }, end) => {
    const { revocations, streams } = this.#parts;
    // The token may have been revoked since it was verified, because the request may have waited meanwhile.
    if (marks !== undefined && revocations.denies(marks) !== undefined) process.nextTick(end, 'token_revoked');
    return streams.add({ marks, endsAt: expiresAt, end });
  };

  stats(): ServerStats {
    const { introspection, keys, revocations, userKeys } = this.#parts;
    return {
      server: this.name,
      positive: this.#cache.size(),
      negative: introspection.negatives(),
      hits: this.#hits,
      misses: this.#misses,
      introspections: introspection.calls(),
      ...age(keys?.ageSeconds()),
      ...(revocations.stats !== undefined && { feed: revocations.stats }),
      ...(userKeys !== undefined && { userKeys: userKeys.size(), userKeyFetches: userKeys.fetches() }),
    };
  }

  start(): Promise<void> {
    const { keys, store, revocations } = this.#parts;
    this.#started ??= Promise.all([keys?.start(), store?.start(), revocations.start()]).then(() => {});
    return this.#started;
  }

  async close(): Promise<void> {
    const { keys, store, revocations, streams, receiver, release } = this.#parts;
    keys?.close();
    receiver?.close();
    revocations.close();
    streams.close();
    await Promise.all([store?.close(), release()]);
  }

  /** While introspection fails, an older answer serves at once. A refusal removes any cached facts. */
  async #settle(token: string, find: Find, kid?: string): Promise<Verification> {
    this.#misses++;
    const old = this.#parts.introspection.isOut() ? this.#cache.stale(token) : undefined;
    const finding = old ?? (await this.#current(find));
    if (finding.kind === 'facts') return this.#cache.put(token, this.#marked(finding, token, kid));
    if (finding.kind === 'refused') this.#cache.forget(token);
    return finding.kind === 'outage' ? (this.#cache.stale(token) ?? finding) : finding;
  }

  /** If the feed lost its position while the gateway asked, the answer may miss a revocation. */
  async #current(find: Find): Promise<Finding> {
    const { revocations, out } = this.#parts;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { epoch } = revocations;
      const finding = await find();
      if (finding.kind !== 'facts' || epoch === revocations.epoch) return finding;
    }
    return out(NOT_IN_STEP);
  }

  #marked(facts: Facts, token: string, kid: string | undefined): Facts {
    if (this.#parts.revocations === NO_FEED) return facts;
    const subjectClaim = this.#parts.config.security_events?.subject_claim ?? 'sub';
    const marks = marksOf(facts.identity, token, { kid, subjectClaim });
    return { ...facts, identity: { ...facts.identity, marks } };
  }
}

function age(seconds: number | undefined): { jwks_age_seconds?: number } {
  return seconds === undefined ? {} : { jwks_age_seconds: seconds };
}
