import { isIP } from 'node:net';
import type { Redis, RedisOptions } from 'ioredis';
import { namedServer } from '../base/server-identity.ts';

/**
 * The authorities that may certify a Redis. `only`: exactly the authorities of one file. `none`: the file became unreadable
 * after it was checked. Without this case, a library would fall back to its own list.
 */
export type RedisTrust =
  | { readonly kind: 'system' }
  | { readonly kind: 'only'; readonly pem: string }
  | { readonly kind: 'none' };

/** Octets between two answers. Our answers need about a hundred, and Redis's own status some thousands. */
const LARGEST = 1024 * 1024;

/** A client with a limit for the data from the other side. */
export interface BoundedClient {
  readonly client: Redis;
  /** Call this after a complete answer. Counting restarts here. */
  answered(): void;
}

/** Settings for waiting, and for commands while the connection is down. */
export type Waiting = Pick<
  RedisOptions,
  | 'connectTimeout'
  | 'socketTimeout'
  | 'commandTimeout'
  | 'enableOfflineQueue'
  | 'autoResendUnfulfilledCommands'
  | 'maxRetriesPerRequest'
  | 'retryStrategy'
>;

/**
 * Loaded only if `counters` names a Redis. The package is CommonJS. Its `default` is the module itself in the sources and in a
 * bundle; in a bundle its named exports are missing.
 */
async function library(): Promise<{ readonly Redis: typeof Redis }> {
  return (await import('ioredis')).default;
}

/**
 * Returns a client that is not connected yet. A connection ends if it sends more than any of our answers: the library would
 * collect half a gigabyte for one answer (RESP has no limit).
 */
export async function redisClient(url: string, trust: RedisTrust, options: Waiting): Promise<BoundedClient> {
  const { Redis } = await library();
  const client = new Redis(url, { ...options, lazyConnect: true, ...tlsOf(url, trust) });
  let received = 0;
  client.on('connect', () => {
    received = 0;
    const { stream } = client;
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > LARGEST) stream.destroy(new Error(`an answer of more than ${LARGEST} octets`));
    });
  });
  return {
    client,
    answered: () => {
      received = 0;
    },
  };
}

/** `rejectUnauthorized` is set explicitly, so that no environment variable can turn it off. */
function tlsOf(url: string, trust: RedisTrust): Pick<RedisOptions, 'tls'> {
  if (!url.startsWith('rediss:')) return {};
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return {
    tls: {
      rejectUnauthorized: true,
      checkServerIdentity: namedServer,
      minVersion: 'TLSv1.2',
      ...(isIP(host) === 0 && { servername: host }),
      ...(trust.kind === 'only' && { ca: trust.pem }),
    },
  };
}
