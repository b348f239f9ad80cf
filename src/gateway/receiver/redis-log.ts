import type { Redis } from 'ioredis';
import { answerWithin } from '../../base/answer-within.ts';
import { type Clock, seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { type BoundedClient, type RedisTrust, redisClient } from '../../counters/client.ts';
import type { FaultLog } from '../message/fault-log.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import { type Appended, type EventLog, entryKey, type LogEntry } from './event-log.ts';
import { readEntry } from './file-log.ts';
import { LiveEntries } from './live-entries.ts';

/** One hash slot, so that a cluster accepts both in one script. */
const STREAM = 'gatehouse:{received}:log';
const ID = 'gatehouse:{received}:id:';

/** Milliseconds that a read waits for entries. */
const BLOCK = 2_000;
/** Milliseconds for an answer, without such a wait. */
const DEADLINE = 2_000;
/** Milliseconds between two attempts to connect. */
const RETRY = 500;
/** Entries of one read: far below the limit for one answer. */
const AT_ONCE = 200;

/**
 * Adds an entry unless its id is there. Old entries of the stream are removed by their time.
 * KEYS: the id, the stream. ARGV: the entry, milliseconds for the id, the oldest entry to keep.
 */
const APPEND = `
if not redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[2]) then return 0 end
redis.call('XADD', KEYS[2], 'MINID', '~', ARGV[3], '*', 'entry', ARGV[1])
return 1`;

export interface RedisLogOptions {
  readonly url: string;
  readonly trust: RedisTrust;
  readonly clock: Clock;
  readonly faults: FaultLog;
  /** Milliseconds after which no entry has an effect any more. */
  readonly longest: number;
}

/** The log of all replicas that use this Redis. */
export class RedisLog implements EventLog {
  readonly #options: RedisLogOptions;
  readonly #live: LiveEntries;
  readonly #first = Promise.withResolvers<void>();
  #writer: BoundedClient | undefined;
  #reader: BoundedClient | undefined;
  /** The last entry that this process has read. */
  #cursor = '0-0';
  #isClosed = false;

  constructor(options: RedisLogOptions) {
    this.#options = options;
    this.#live = new LiveEntries(options.clock);
  }

  async append(entry: LogEntry): Promise<Appended> {
    try {
      this.#writer ??= await this.#connected();
      const added = await answerWithin(this.#add(this.#writer, entry), DEADLINE);
      return { kind: added === 1 ? 'added' : 'again' };
    } catch (error) {
      this.#writer?.client.disconnect();
      this.#writer = undefined;
      return { kind: 'out', detail: `the Redis of received events: ${(error as Error).message}` };
    }
  }

  feed(issuer: string): OpenFeed {
    return this.#live.feed(issuer);
  }

  size(): number {
    return this.#live.size;
  }

  async start(): Promise<void> {
    void this.#follow();
    await Promise.race([this.#first.promise, new Promise((late) => setTimeout(late, DEADLINE).unref())]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#live.close();
    this.#writer?.client.disconnect();
    this.#reader?.client.disconnect();
  }

  /** Reads until the log closes. After each fault, it connects again and continues. */
  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        this.#reader = await this.#connected();
        await this.#read(this.#reader);
      } catch (error) {
        if (this.#isClosed) return;
        this.#options.faults.failed((error as Error).message);
      }
      this.#reader?.client.disconnect();
      this.#live.become('lost');
      this.#first.resolve();
      await new Promise((rested) => setTimeout(rested, RETRY).unref());
    }
  }

  async #read(reader: BoundedClient): Promise<void> {
    await this.#checkCursor(reader);
    for (let block = false; !this.#isClosed; ) {
      const read = await this.#next(reader, block);
      for (const [id, fields] of read) this.#take(id, fields);
      const isAll = read.length < AT_ONCE;
      if (isAll) this.#confirm();
      if (block && read.length === 0) await this.#checkCursor(reader);
      block = isAll;
    }
  }

  #confirm(): void {
    this.#live.become('in_step');
    this.#options.faults.recovered();
    this.#first.resolve();
  }

  async #next({ client, answered }: BoundedClient, block: boolean): Promise<readonly StreamItem[]> {
    const wait = block ? (['BLOCK', BLOCK] as const) : [];
    const asked = client.call('XREAD', 'COUNT', AT_ONCE, ...wait, 'STREAMS', STREAM, this.#cursor);
    const answer = (await answerWithin(asked, BLOCK + DEADLINE)) as StreamAnswer;
    answered();
    return itemsOf(answer);
  }

  #take(id: string, [, text = '']: readonly string[]): void {
    this.#cursor = id;
    const entry = readEntry(text);
    if (entry !== undefined && entry.until > seconds(this.#options.clock)) this.#live.add(entry);
  }

  /**
   * A Redis that lost its data begins new numbers. Then this process reads from the beginning, and adds its entries
   * again for replicas that start later.
   */
  async #checkCursor(reader: BoundedClient): Promise<void> {
    const last = await answerWithin(lastId(reader.client), DEADLINE);
    reader.answered();
    if (!isBefore(last, this.#cursor)) return;
    this.#cursor = '0-0';
    this.#live.reset();
    for (const entry of this.#live.all()) await answerWithin(this.#add(reader, entry), DEADLINE);
  }

  async #add({ client, answered }: BoundedClient, entry: LogEntry): Promise<unknown> {
    const { clock, longest } = this.#options;
    const id = `${ID}${sha256(entryKey(entry)).toString('base64url')}`;
    const life = Math.max(1_000, entry.until * 1000 - clock.now());
    const oldest = Math.max(0, Math.floor(clock.now() - longest));
    const added = await client.eval(APPEND, 2, id, STREAM, JSON.stringify(entry), Math.ceil(life), oldest);
    answered();
    return added;
  }

  async #connected(): Promise<BoundedClient> {
    const { url, trust } = this.#options;
    if (trust.kind === 'none') throw new Error('the file of `tls: { ca }` cannot be used');
    const bounded = await redisClient(url, trust, {
      connectTimeout: DEADLINE,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    const { client } = bounded;
    client.on('error', () => {});
    try {
      await answerWithin(client.connect(), DEADLINE);
    } catch (error) {
      client.disconnect();
      throw error;
    }
    return bounded;
  }
}

type StreamItem = readonly [id: string, fields: readonly string[]];
type Named = readonly [stream: string, items: readonly StreamItem[]];
/** Null: nothing came in time. RESP3 has a map, and RESP2 a list of pairs. */
type StreamAnswer = Named | readonly [Named] | null;

function itemsOf(answer: StreamAnswer): readonly StreamItem[] {
  if (answer === null) return [];
  const [first] = answer;
  return typeof first === 'string' ? (answer as Named)[1] : first[1];
}

/** `0-0`: there is no stream. */
async function lastId(client: Redis): Promise<string> {
  const facts = (await client.call('XINFO', 'STREAM', STREAM).catch((error: Error) => {
    if (error.message.includes('no such key')) return [];
    throw error;
  })) as readonly unknown[];
  const at = facts.indexOf('last-generated-id');
  return at === -1 ? '0-0' : String(facts[at + 1]);
}

function isBefore(left: string, right: string): boolean {
  const [leftTime = 0, leftCount = 0] = left.split('-').map(Number);
  const [rightTime = 0, rightCount = 0] = right.split('-').map(Number);
  return leftTime < rightTime || (leftTime === rightTime && leftCount < rightCount);
}
