import { Pool } from 'undici';
import { fold } from '../../config/fold-name.ts';
import type { UpstreamConfig } from '../../config/gateway.ts';

/** An API behind the gateway: its connections, and how many requests may wait for one. */
export interface Upstream {
  readonly name: string;
  readonly pool: Pool;
  /** The Host that it is sent; undefined: the client's own. */
  readonly host: string | undefined;
  readonly authority: string;
  /** What it has always wanted to see; stands for every header that it could fold into the same. */
  readonly credential: UpstreamCredential | undefined;
  /** Requests that have a connection or wait for one. */
  inFlight: number;
  /** `inFlight` never exceeds this. */
  readonly capacity: number;
}

export interface UpstreamCredential {
  readonly name: string;
  readonly value: string;
  readonly folded: string;
}

function upstreamCredential(config: NonNullable<UpstreamConfig['credentials']>): UpstreamCredential {
  if ('header' in config) return { ...config.header, folded: fold(config.header.name) };
  const { username, password } = config.basic;
  // RFC 7617 §2.1: UTF-8, as every server of today takes it.
  const value = `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
  return { name: 'authorization', value, folded: 'authorization' };
}

/** An answer's header section may be larger than a request's: cookies and policies add up. */
const MAX_HEADER_SIZE = 64 * 1024;

export function openUpstream(name: string, config: UpstreamConfig): Upstream {
  return { ...describeUpstream(name, config), pool: openPool(new URL(config.url), config) };
}

/** All of it but its connections. */
export function describeUpstream(name: string, config: UpstreamConfig): Omit<Upstream, 'pool'> {
  const url = new URL(config.url);
  return {
    name,
    host: hostSent(config.host, url.host),
    authority: url.host,
    credential: config.credentials && upstreamCredential(config.credentials),
    inFlight: 0,
    capacity: config.max_connections + config.max_pending,
  };
}

function openPool(url: URL, { max_connections, timeout }: UpstreamConfig): Pool {
  return new Pool(url.origin, {
    connections: max_connections,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_SIZE,
    connect: { timeout: timeout.connect },
  });
}

const hostWords: Readonly<Record<string, (authority: string) => string | undefined>> = {
  preserve: () => undefined,
  upstream: (authority) => authority,
};

function hostSent(word: string, authority: string): string | undefined {
  const meaning = hostWords[word];
  return meaning === undefined ? word : meaning(authority);
}
