import type { Outage, Refused } from '../../base/verdict.ts';
import type { AuthorizationServerConfig } from '../../config/gateway.ts';
import type { ParsedJwt } from '../../jwt/parse.ts';
import type { CredentialCode } from '../codes.ts';
import type { Verification } from '../identity.ts';
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
}

/** An authorization server as the routes see it, shared by all of them. */
export interface AuthorizationServer {
  readonly name: string;
  readonly issuer: string;
  readonly tokenPrefix: string;
  /** Whether opaque tokens can be its own. */
  readonly introspects: boolean;
  recall(token: string): Remembered | undefined;
  verifyJwt(jwt: ParsedJwt): Promise<Verification>;
  verifyOpaque(token: string): Promise<Verification>;
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
type Finding = Facts | Refused<CredentialCode> | Outage;

export interface ServerParts {
  readonly name: string;
  readonly config: AuthorizationServerConfig;
  readonly cache: FactsCache;
  readonly keys: KeySet | undefined;
  readonly local: VerifyJwt;
  readonly introspection: Introspection;
  /** What `introspection` asks, where that is no endpoint. */
  readonly store: TokenStore | undefined;
  readonly release: () => Promise<void>;
}

/** Who judges a JWT. Opaque tokens have nobody but introspection. */
const judges: Record<Mode, (parts: ServerParts, jwt: ParsedJwt) => Finding | Promise<Finding>> = {
  auto: ({ local }, jwt) => local(jwt),
  jwt: ({ local }, jwt) => local(jwt),
  introspection: async ({ introspection }, { token }) => asJwt(await introspection.verify(token)),
  both: judgeTwice,
  store: judgeTwice,
};

async function judgeTwice({ local, introspection, config }: ServerParts, jwt: ParsedJwt): Promise<Finding> {
  const signed = await local(jwt);
  if (signed.kind !== 'facts') return signed;
  const said = await introspection.verify(jwt.token);
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

export function authorizationServer(parts: ServerParts): AuthorizationServer {
  const { name, config, cache, keys, introspection, store } = parts;
  const introspects = introspectsOpaque(config);
  let hits = 0;
  let misses = 0;
  let started: Promise<void> | undefined;

  /** While introspection is out, an older answer serves at once; a refusal ends whatever was remembered. */
  const settle = async (token: string, find: () => Finding | Promise<Finding>): Promise<Verification> => {
    misses++;
    const old = introspection.isOut() ? cache.stale(token) : undefined;
    const finding = old ?? (await find());
    if (finding.kind === 'facts') return cache.put(token, finding);
    if (finding.kind === 'refused') cache.forget(token);
    return finding.kind === 'outage' ? (cache.stale(token) ?? finding) : finding;
  };

  return {
    name,
    issuer: config.issuer,
    tokenPrefix: config.token_prefix ?? '',
    introspects,
    tried: () => (keys?.tried() ?? true) && (store?.tried() ?? true),
    usable: () => store?.usable() ?? (introspects ? undefined : keys?.usable()),
    recall(token) {
      const remembered = cache.get(token);
      if (remembered !== undefined) hits++;
      return remembered;
    },
    verifyJwt: (jwt) => settle(jwt.token, () => judges[config.verify](parts, jwt)),
    verifyOpaque: (token) => settle(token, () => introspection.verify(token)),
    stats: () => ({
      server: name,
      positive: cache.size(),
      negative: introspection.negatives(),
      hits,
      misses,
      introspections: introspection.calls(),
      ...age(keys?.ageSeconds()),
    }),
    start: () => (started ??= Promise.all([keys?.start(), store?.start()]).then(() => {})),
    async close() {
      keys?.close();
      await Promise.all([store?.close(), parts.release()]);
    },
  };
}

function age(seconds: number | undefined): { jwks_age_seconds?: number } {
  return seconds === undefined ? {} : { jwks_age_seconds: seconds };
}
