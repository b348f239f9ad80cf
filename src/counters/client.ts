import { isIP } from 'node:net';
import type { Redis, RedisOptions } from 'ioredis';
import { namedServer } from '../base/server-identity.ts';

/**
 * The authorities that may certify a Redis. `only`: those of one file and no others. `nobody`: that file became unreadable
 * after it was checked, and without it a library would fall back to its own list.
 */
export type RedisTrust =
  | { readonly kind: 'system' }
  | { readonly kind: 'only'; readonly pem: string }
  | { readonly kind: 'nobody' };

/** Octets between two answers. Ours need about a hundred, and Redis's own status some thousands. */
const LARGEST = 1024 * 1024;

/** A client, and its bound on what the other side sends. */
export interface BoundedClient {
  readonly client: Redis;
  /** Call this after a complete answer: counting restarts here. */
  answered(): void;
}

/** How long it is waited for, and what is kept for a connection that is not there. */
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
 * Loaded only where `counters` names a Redis. The package is CommonJS: its `default` is the module itself, from the sources as
 * from a bundle, where its named exports are missing.
 */
async function library(): Promise<{ readonly Redis: typeof Redis }> {
  return (await import('ioredis')).default;
}

/**
 * Not connected yet. A connection ends that sends more than any answer of ours has: the library would gather half a gigabyte
 * for one (RESP has no bound).
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

/** `rejectUnauthorized` is said aloud, so that no variable of the environment can unsay it. */
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
