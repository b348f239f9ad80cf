import type { Redis } from 'ioredis';
import { type RedisTrust, redisClient } from './client.ts';

/** The status of a Redis. Reading it writes nothing. */
export interface RedisState {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `master`: it accepts writes. */
  readonly role: string;
  /** The policy by which it evicts keys when its memory is full; undefined: it does not report it. */
  readonly policy: string | undefined;
}

/** Rejects with the error of the connection. `deadline`: milliseconds for the connection, and for each answer. */
export async function redisState(url: string, trust: RedisTrust, deadline: number): Promise<RedisState> {
  if (trust.kind === 'none') throw new Error('the file of `tls: { ca }` cannot be used');
  const { client } = await redisClient(url, trust, {
    connectTimeout: deadline,
    commandTimeout: deadline,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let fault: Error | undefined;
  client.on('error', (error: Error) => {
    fault ??= error;
  });
  try {
    await client.connect();
    const [seconds = 0, microseconds = 0] = await client.time();
    const [role] = await client.role();
    return { now: seconds * 1000 + microseconds / 1000, role: String(role), policy: await policyOf(client) };
  } catch (error) {
    throw fault ?? error;
  } finally {
    client.disconnect();
  }
}

/** Many hosted Redis services do not permit this question. */
async function policyOf(client: Redis): Promise<string | undefined> {
  try {
    const reply = await client.config('GET', 'maxmemory-policy');
    return Array.isArray(reply) ? String(reply[1]) : undefined;
  } catch {
    return undefined;
  }
}
