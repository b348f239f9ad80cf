import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { answerWithin } from '../base/answer-within.ts';
import { type BoundedClient, type RedisTrust, redisClient } from './client.ts';
import { COUNTED_ALONE, PARTS } from './counters.ts';
import { scripts } from './scripts.ts';

/** Milliseconds for one call by default. A caller that waits longer counts alone. */
const DEADLINE = 250;
/** Milliseconds that a start waits for Redis. */
const START_DEADLINE = 1_000;
/** Milliseconds between two attempts to reconnect. */
const RETRY = 500;
/** Milliseconds without a pending answer, after which the connection is replaced. */
const SILENCE = 2_000;

/** The probe writes, as every call does: a replica or a full Redis cannot share counters. */
const PROBE = ['gatehouse:probe', 1, 1_000, PARTS] as const;

type Script = keyof typeof scripts;
type Arguments = readonly [key: string, ...values: (number | string)[]];

/** Receives changes. */
export interface LinkLog {
  warn(detail: object, message: string): void;
  info(message: string): void;
}

export interface LinkDependencies {
  readonly log: LinkLog;
  /** Milliseconds for one call. */
  readonly deadline?: number;
  /** The authorities that may certify the Redis, over TLS. */
  readonly trust?: RedisTrust;
}

/** A connection to Redis, and whether it is usable. Each change is logged once. */
export class Link {
  readonly #url: string;
  readonly #log: LinkLog;
  readonly #deadline: number;
  readonly #trust: RedisTrust;
  #client: BoundedClient | undefined;
  #opening: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Undefined: unknown yet. */
  #reachable: boolean | undefined;
  #evicts: string | undefined;
  /** True after a log line about an unknown eviction policy. */
  #isUntold = false;
  #closed = false;
  /** The fault of a failed connection attempt. */
  #fault = 'no answer in time';

  constructor(url: string, { log, deadline = DEADLINE, trust = { kind: 'system' } }: LinkDependencies) {
    this.#url = url;
    this.#trust = trust;
    this.#log = log;
    this.#deadline = deadline;
  }

  /** The policy by which Redis evicts keys when its memory is full. Undefined: it evicts none, or does not report it. */
  get evicts(): string | undefined {
    return this.#evicts;
  }

  get reachable(): boolean {
    return this.#reachable === true;
  }

  /** Settles when Redis is reached, or known to be unreachable. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Undefined, at once or later: count locally. */
  ask(script: Script, args: Arguments): Promise<unknown> | undefined {
    const client = this.#client;
    if (client === undefined || !this.reachable) return undefined;
    return answerWithin(this.#run(client, script, args), this.#deadline).catch((error: unknown) =>
      this.#lost(messageOf(error)),
    );
  }

  close(): void {
    this.#closed = true;
    this.#reachable = false;
    clearInterval(this.#retry);
    this.#client?.client.disconnect();
  }

  async #open(): Promise<void> {
    if (this.#trust.kind === 'none') return this.#lost('the file of `tls: { ca }` cannot be used');
    const bounded = await redisClient(this.#url, this.#trust, {
      connectTimeout: SILENCE,
      socketTimeout: SILENCE,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RETRY,
    });
    if (this.#closed) return;
    const { client } = bounded;
    this.#client = bounded;
    client.on('error', (error: Error) => {
      this.#fault = messageOf(error);
    });
    client.on('close', () => this.#lost(this.#fault));
    client.on('ready', () => void this.#probe());
    this.#retry = setInterval(() => void this.#probe(), RETRY).unref();
    await Promise.race([client.connect().then(() => this.#probe(), ignore), pause(START_DEADLINE, undefined, UNREF)]);
    if (!this.reachable) this.#lost(this.#fault);
  }

  async #probe(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.reachable || client.client.status !== 'ready') return;
    try {
      await answerWithin(this.#run(client, 'gatehouseTake', PROBE), this.#deadline);
      this.#evicts = await this.#policy(client.client);
      this.#back();
    } catch (error) {
      this.#fault = messageOf(error);
    }
  }

  /** Many hosted Redis services reject this command. The program then logs one warning that the policy is unknown. */
  async #policy(client: Redis): Promise<string | undefined> {
    try {
      const reply = await answerWithin(client.config('GET', 'maxmemory-policy'), this.#deadline);
      const policy = Array.isArray(reply) ? reply[1] : undefined;
      return typeof policy === 'string' && policy !== 'noeviction' ? policy : undefined;
    } catch (error) {
      // A call without an answer in time is repeated.
      if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
      if (!this.#isUntold) this.#log.warn({ reason: messageOf(error) }, UNTOLD);
      this.#isUntold = true;
      return undefined;
    }
  }

  /** Any answer resets the number of calls without an answer. */
  async #run({ client, answered }: BoundedClient, script: Script, args: Arguments): Promise<unknown> {
    try {
      return await run(client, script, args);
    } finally {
      answered();
    }
  }

  /** Redis's own status during a call. Undefined means that it evicts no keys. Each change is logged. */
  evicting(policy: string | undefined): void {
    if (policy === this.#evicts) return;
    this.#evicts = policy;
    if (policy === undefined)
      this.#log.info("the counters' Redis can no longer evict keys: the gateway accepts Digest requests again");
    else this.#log.warn({ policy }, EVICTING);
  }

  #lost(reason: string): undefined {
    if (this.#closed || this.#reachable === false) return;
    this.#reachable = false;
    this.#log.warn({ reason }, COUNTED_ALONE);
  }

  #back(): void {
    if (this.#closed || this.#reachable === true) return;
    if (this.#reachable === false) this.#log.info('the shared counters are reachable again');
    this.#reachable = true;
    this.#fault = 'the connection was closed';
  }
}

const UNREF = { ref: false };
const UNTOLD = "the counters' Redis does not report its maxmemory-policy: Digest nonces require noeviction";

const EVICTING =
  "the counters' Redis can evict keys: Digest requests get 503 until its maxmemory-policy is noeviction again";

/** The event of the connection reports the fault. */
function ignore(): void {}

const digests = new Map(Object.entries(scripts).map(([name, text]) => [name, hash('sha1', text)]));

/** Calls a script by its digest. A restarted Redis gets the script again. */
async function run(client: Redis, script: Script, [key, ...values]: Arguments): Promise<unknown> {
  try {
    return await client.evalsha(digests.get(script) ?? '', 1, key, ...values);
  } catch (error) {
    if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
    return client.eval(scripts[script], 1, key, ...values);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
