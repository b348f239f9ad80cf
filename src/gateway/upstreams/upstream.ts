import type { UpstreamConfig } from '../../config/schema/upstream.ts';
import type { UpstreamCredentialsConfig, UpstreamDigestConfig } from '../../config/schema/upstream-credentials.ts';
import { fold } from '../../config/words/fold-name.ts';
import { formatBasic } from '../../http-auth/basic.ts';
import type { Choose } from './balance.ts';
import type { Shares } from './shares.ts';
import type { UpstreamUrl } from './upstream-url.ts';

/** An API behind the gateway: its urls, and how many requests may wait for a connection. */
export interface Upstream {
  readonly name: string;
  /** One at least, as in the file. */
  readonly origins: readonly UpstreamUrl[];
  readonly choose: Choose;
  /** How often a request is sent again. */
  readonly retries: number;
  /** What it has always wanted to see; stands for every header that it could fold into the same. */
  readonly credential: UpstreamCredential | undefined;
  /** Undefined: it is not Digest that it wants. */
  readonly digest: UpstreamDigestConfig | undefined;
  /** Whether it can be sent a request for `*` (RFC 9112 §3.2.4): undici sends none. */
  readonly takesAsterisk: boolean;
  /** Requests that have a connection or wait for one. */
  inFlight: number;
  /** `inFlight` never exceeds this: the connections of those urls that get requests, and who may wait. */
  capacity: number;
  /** The connections among these. */
  connections: number;
  /** What each client address has of it. */
  readonly shares: Shares;
  /** Seconds until it is worth asking again, while no url gets requests. */
  retryAfter(): number;
  close(): Promise<unknown>;
}

export interface UpstreamCredential {
  readonly name: string;
  /** Undefined: made for each request. */
  readonly value: string | undefined;
  readonly folded: string;
}

function upstreamCredential(config: UpstreamCredentialsConfig): UpstreamCredential {
  if ('header' in config) return { ...config.header, folded: fold(config.header.name) };
  const value = 'basic' in config ? formatBasic(config.basic.username, config.basic.password) : undefined;
  return { name: 'authorization', value, folded: 'authorization' };
}

/** The gateway's facts for any upstream. */
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

/** The Host for a url; undefined: the client's own. */
export function hostSent(word: string, authority: string): string | undefined {
  const meaning = Object.hasOwn(hostWords, word) ? hostWords[word] : undefined;
  return meaning === undefined ? word : meaning(authority);
}
