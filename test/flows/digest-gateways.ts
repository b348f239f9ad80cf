import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { ask, caller, credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind } from '../support/gateway.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { redisServer } from '../support/redis.ts';
import { digestLines, userFile } from '../support/user-files.ts';

export interface Scene {
  /** Of each gateway. */
  readonly urls: readonly string[];
  readonly processes: readonly GatewayProcess[];
  flushall(): Promise<void>;
}

export type Mode = 'strict' | 'window';

/** So many gateways, each a process; two share a Redis. */
export async function gateways(t: Test, count: 1 | 2, nc: Mode, env: Record<string, string> = {}): Promise<Scene> {
  const redis = count === 2 ? await redisServer(t) : undefined;
  const users = userFile(t, digestLines(caller.name, caller.realm, caller.password));
  const digest = { realm: caller.realm, users, nc };
  const routes = [{ match: { path: '/{rest*}' }, auth: 'digest', digest, access: 'authenticated' }];
  const shared = redis && { counters: redis.url, nonce_keys: [randomBytes(32).toString('base64')] };
  const config = behind(await echoUpstream(t), { routes, ...shared });
  const processes: GatewayProcess[] = [];
  for (let index = 0; index < count; index++) {
    const running = await startProcess({ config, env });
    t.teardown(() => running.stop());
    processes.push(running);
  }
  const flushall = async () => {
    const client = new Redis(redis?.url ?? '');
    await client.flushall();
    client.disconnect();
  };
  const urls = processes.map(({ port }) => `http://127.0.0.1:${port}`);
  if (redis !== undefined) await untilTaken(`${at(urls, 0)}/a`);
  return { urls, processes, flushall };
}

/** A Redis that started a moment ago cannot know which nonces were used, so for some seconds it accepts nothing. */
export async function untilTaken(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if ((await ask(url, credentialsFor('/a', await nonceOf(url), 1))).status === 200) return;
    await pause(100);
  }
  throw new Error('nobody passes by Digest');
}

export const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;
