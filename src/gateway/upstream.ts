import { Pool } from 'undici';
import type { UpstreamConfig } from '../config/gateway.ts';

/** An API behind the gateway: its connections, and how many requests may wait for one. */
export interface Upstream {
  readonly name: string;
  readonly pool: Pool;
  /** The Host that it is sent; undefined: the client's own. */
  readonly host: string | undefined;
  readonly authority: string;
  /** Requests that have a connection or wait for one. */
  inFlight: number;
  /** `inFlight` never exceeds this. */
  readonly capacity: number;
}

/** An answer's header section may be larger than a request's: cookies and policies add up. */
const MAX_HEADER_SIZE = 64 * 1024;

export function openUpstream(name: string, config: UpstreamConfig): Upstream {
  const url = new URL(config.url);
  return {
    name,
    pool: openPool(url, config),
    host: hostSent(config.host, url.host),
    authority: url.host,
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
