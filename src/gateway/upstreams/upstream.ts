import type { UpstreamConfig } from '../../config/schema/upstream.ts';
import type { UpstreamCredentialsConfig, UpstreamDigestConfig } from '../../config/schema/upstream-credentials.ts';
import { fold } from '../../config/words/fold-name.ts';
import { formatBasic } from '../../http-auth/basic.ts';
import type { Choose } from './balance.ts';
import type { Shares } from './shares.ts';
import type { UpstreamUrl } from './upstream-url.ts';

/** An API behind the gateway: its URLs, and how many requests may wait for a connection. */
export interface Upstream {
  readonly name: string;
  /** At least one, in the order of the file. */
  readonly origins: readonly UpstreamUrl[];
  readonly choose: Choose;
  /** How many times a request is retried. */
  readonly retries: number;
  /**
   * The credential that the gateway sends. It replaces every client header that the upstream could fold into the same
   * name.
   */
  readonly credential: UpstreamCredential | undefined;
  /** Undefined: the upstream does not require Digest. */
  readonly digest: UpstreamDigestConfig | undefined;
  /** Whether it can get a request for `*` (RFC 9112 §3.2.4). undici cannot send one. */
  readonly takesAsterisk: boolean;
  /** Requests that have a connection or wait for one. */
  inFlight: number;
  /** The maximum of `inFlight`: the connections of all available URLs, and the waiting requests. */
  capacity: number;
  /** The connections in `capacity`. */
  connections: number;
  /** The share of each client address. */
  readonly shares: Shares;
  /** Seconds until a retry may succeed, while no URL is available. */
  retryAfter(): number;
  close(): Promise<unknown>;
}

export interface UpstreamCredential {
  readonly name: string;
  /** Undefined: the value is made for each request. */
  readonly value: string | undefined;
  readonly folded: string;
}

function upstreamCredential(config: UpstreamCredentialsConfig): UpstreamCredential {
  if ('header' in config) return { ...config.header, folded: fold(config.header.name) };
  const value = 'basic' in config ? formatBasic(config.basic.username, config.basic.password) : undefined;
  return { name: 'authorization', value, folded: 'authorization' };
}

/** The facts of an upstream that do not depend on its engine. */
export function describeUpstream(
  name: string,
  { credentials, retries, engine, http2 }: UpstreamConfig,
): Pick<Upstream, 'name' | 'retries' | 'credential' | 'digest' | 'takesAsterisk'> {
  return {
    name,
    retries,
    credential: credentials && upstreamCredential(credentials),
    digest: credentials && 'digest' in credentials ? credentials.digest : undefined,
    takesAsterisk: http2 || engine === 'own',
  };
}

const hostWords: Readonly<Record<string, (authority: string) => string | undefined>> = {
  preserve: () => undefined,
  upstream: (authority) => authority,
};

/** The Host for a URL. Undefined: the client's own. */
export function hostSent(word: string, authority: string): string | undefined {
  const meaning = Object.hasOwn(hostWords, word) ? hostWords[word] : undefined;
  return meaning === undefined ? word : meaning(authority);
}
