import type { Outage, Refused } from '../../base/verdict.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import type { ParsedJwt } from '../../jwt/parse.ts';
import type { CredentialCode } from '../codes.ts';
import type { Verification, WatchToken } from '../identity.ts';
import { marksOf } from '../revocation/marks.ts';
import type { OpenStreams } from '../revocation/open-streams.ts';
import { type FeedStats, NO_FEED, type Revocations } from '../revocation/revocations.ts';
import { type Facts, narrow } from './facts.ts';
import type { FactsCache, Remembered } from './facts-cache.ts';
import type { KeySet } from './key-set.ts';
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
  /** Keys of users that are kept, and fetches of such keys. */
  readonly userKeys?: number;
  readonly userKeyFetches?: number;
  /** Absent where the server has no feed. */
  readonly feed?: FeedStats;
}

/** An authorization server as the routes see it, shared by all of them. */
export interface AuthorizationServer {
  readonly name: string;
  readonly issuer: string;
  readonly tokenPrefix: string;
  /** Whether opaque tokens can be its own. */
  readonly introspects: boolean;
  /** Only the client is missing by which opaque tokens could be asked about. */
  readonly lacksClient: boolean;
  recall(token: string): Remembered | undefined;
  verifyJwt(jwt: ParsedJwt): Promise<Verification>;
  verifyOpaque(token: string): Promise<Verification>;
  readonly watch: WatchToken;
  /** Whatever it needs was looked for once. */
  tried(): boolean;
  /** Whether its tokens can be verified; undefined where only asking for one could tell. */
  usable(): boolean | undefined;
  stats(): ServerStats;
  /** Fetches the keys, and looks at the store; again only for itself. */
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
  /** What `introspection` asks, where that is no endpoint. */
  readonly store: TokenStore | undefined;
  readonly revocations: Revocations;
  readonly streams: OpenStreams;
  readonly out: (detail: string) => Outage;
  readonly userKeys: UserKeyStats | undefined;
  readonly release: () => Promise<void>;
}

/** Who judges a JWT. Opaque tokens have nobody but introspection. */
const judges: Record<Mode, (parts: ServerParts, jwt: ParsedJwt) => Finding | Promise<Finding>> = {
  auto: ({ local }, jwt) => local(jwt),
  jwt: ({ local }, jwt) => local(jwt),
  introspection: async ({ introspection, cache }, { token }) =>
    asJwt(await introspection.verify(token, cache.knows(token))),
  both: judgeTwice,
  store: judgeTwice,
};

/** While the feed is silent, what a signature shows is not enough. */
const doubtful: Record<'introspect' | 'deny', (typeof judges)[Mode]> = {
  introspect: judgeTwice,
  async deny({ local, out }, jwt) {
    const signed = await local(jwt);
    return signed.kind === 'facts' ? out(NOT_IN_STEP) : signed;
  },
};

export const NOT_IN_STEP = 'the revocation feed is not in step';

/** Modes in which a token is taken to its server, or to its store, in any case. */
const ASKS: ReadonlySet<Mode> = new Set(['introspection', 'both', 'store']);

function judge(parts: ServerParts, jwt: ParsedJwt): Finding | Promise<Finding> {
  const { verify } = parts.config;
  const doubt = ASKS.has(verify) ? undefined : parts.revocations.doubt();
  return (doubt === undefined ? judges[verify] : doubtful[doubt])(parts, jwt);
}

/** Whoever brings a signature that is right is no stranger. */
async function judgeTwice({ local, introspection, config }: ServerParts, jwt: ParsedJwt): Promise<Finding> {
  const signed = await local(jwt);
  if (signed.kind !== 'facts') return signed;
  const said = await introspection.verify(jwt.token, true);
  return said.kind === 'facts' ? narrow(signed, said, config.scope_claims) : said;
}

function asJwt(finding: Finding): Finding {
  return finding.kind === 'facts' ? { ...finding, jwt: true } : finding;
}

export function introspectsOpaque({
  verify,
  client_id,
}: Pick<AuthorizationServerConfig, 'verify' | 'client_id'>): boolean {
  return verify === 'auto' ? client_id !== undefined : verify !== 'jwt';
}

/** `verify: jwt` says that nobody is to be asked; a file that says nothing may have forgotten whom to ask as. */
export function lacksClient({ verify, client_id }: Pick<AuthorizationServerConfig, 'verify' | 'client_id'>): boolean {
  return verify === 'auto' && client_id === undefined;
}

/** How often an answer may turn out to be of yesterday. */
const MOST_TRIES = 3;

export function authorizationServer(parts: ServerParts): AuthorizationServer {
  const { name, config, cache, keys, introspection, store, revocations, streams } = parts;
  const introspects = introspectsOpaque(config);
  let hits = 0;
  let misses = 0;
  let started: Promise<void> | undefined;

  /** While introspection is out, an older answer serves at once; a refusal ends whatever was remembered. */
  const settle = async (token: string, find: Find, kid?: string): Promise<Verification> => {
    misses++;
    const old = introspection.isOut() ? cache.stale(token) : undefined;
    const finding = old ?? (await current(find));
    if (finding.kind === 'facts') return cache.put(token, marked(finding, token, kid));
    if (finding.kind === 'refused') cache.forget(token);
    return finding.kind === 'outage' ? (cache.stale(token) ?? finding) : finding;
  };

  /** What was asked for before the feed lost its thread, and came after, says nothing of what was missed. */
  const current = async (find: Find): Promise<Finding> => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { epoch } = revocations;
      const finding = await find();
      if (finding.kind !== 'facts' || epoch === revocations.epoch) return finding;
    }
    return parts.out(NOT_IN_STEP);
  };

  const marked = (facts: Facts, token: string, kid: string | undefined): Facts =>
    revocations === NO_FEED
      ? facts
      : { ...facts, identity: { ...facts.identity, marks: marksOf(facts.identity, token, kid) } };

  return {
    name,
    issuer: config.issuer,
    tokenPrefix: config.token_prefix ?? '',
    introspects,
    lacksClient: lacksClient(config),
    tried: () => (keys?.tried() ?? true) && (store?.tried() ?? true),
    usable: () => store?.usable() ?? (introspects ? undefined : keys?.usable()),
    recall(token) {
      const remembered = cache.get(token);
      if (remembered !== undefined) hits++;
      return remembered;
    },
    verifyJwt: (jwt) => settle(jwt.token, () => judge(parts, jwt), jwt.header.kid),
    verifyOpaque: (token) => settle(token, () => introspection.verify(token, cache.knows(token))),
    watch({ marks, expiresAt }, end) {
      // It may have ended since it was verified: between the two others can have been waited for.
      if (marks !== undefined && revocations.denies(marks)) process.nextTick(end, 'token_revoked');
      return streams.add({ marks, endsAt: expiresAt, end });
    },
    stats: () => ({
      server: name,
      positive: cache.size(),
      negative: introspection.negatives(),
      hits,
      misses,
      introspections: introspection.calls(),
      ...age(keys?.ageSeconds()),
      ...(revocations.stats !== undefined && { feed: revocations.stats }),
      ...(parts.userKeys !== undefined && {
        userKeys: parts.userKeys.size(),
        userKeyFetches: parts.userKeys.fetches(),
      }),
    }),
    start: () => (started ??= Promise.all([keys?.start(), store?.start(), revocations.start()]).then(() => {})),
    async close() {
      keys?.close();
      revocations.close();
      streams.close();
      await Promise.all([store?.close(), parts.release()]);
    },
  };
}

function age(seconds: number | undefined): { jwks_age_seconds?: number } {
  return seconds === undefined ? {} : { jwks_age_seconds: seconds };
}
