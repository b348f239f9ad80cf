import { answerWithin } from '../../base/answer-within.ts';
import { batches } from '../../base/batches.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { type BoundedClient, type RedisTrust, redisClient } from '../../counters/client.ts';
import type { FaultLog } from '../message/fault-log.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import { type Appended, type EventLog, entryKey, FULL, type LogEntry, mayCount } from './event-log.ts';
import { readEntry } from './file-log.ts';
import { LiveEntries } from './live-entries.ts';

/** One hash slot, so that a cluster accepts both in one script. */
const STREAM = 'gatehouse:{received}:log';
const ID = 'gatehouse:{received}:id:';

/** Milliseconds that a read waits for entries. */
const BLOCK = 2_000;
/** Milliseconds for an answer, beyond the wait for entries. */
const DEADLINE = 2_000;
/** Milliseconds between two attempts to connect. */
const RETRY = 500;
/** Entries of one read. Even the largest ones together are below the limit for one answer. */
const AT_ONCE = 100;
/** Before the first entry. */
const FIRST = '0-0';

/** Answers of the script. */
const AGAIN = 0;
const ADDED = 1;
const REJECTED = 2;

/**
 * Adds an entry, unless the stream has it. An id whose entry was lost does not count. Old entries of the stream are
 * removed by the clock of Redis, which also numbers them.
 * KEYS: the id, the stream. ARGV: the entry, milliseconds for the id, milliseconds after which an entry is old, and
 * whether there is room for it.
 */
const APPEND = `
local known = redis.call('GET', KEYS[1])
if known and #redis.call('XRANGE', KEYS[2], known, known) > 0 then return ${AGAIN} end
if ARGV[4] == 'full' then return ${REJECTED} end
local now = redis.call('TIME')
local oldest = string.format('%d', math.max(0, now[1] * 1000 - ARGV[3]))
local added = redis.call('XADD', KEYS[2], 'MINID', '~', oldest, '*', 'entry', ARGV[1])
redis.call('SET', KEYS[1], added, 'PX', ARGV[2])
return ${ADDED}`;

export interface RedisLogOptions {
  readonly url: string;
  readonly trust: RedisTrust;
  readonly clock: Clock;
  readonly faults: FaultLog;
  /** Milliseconds after which no entry has an effect any more. */
  readonly longest: number;
  /** Live entries of all servers. */
  readonly most?: number | undefined;
}

/** The log of all replicas that use this Redis. */
export class RedisLog implements EventLog {
  readonly #options: RedisLogOptions;
  readonly #live: LiveEntries;
  readonly #first = Promise.withResolvers<void>();
  /** One connection for all that write at the same time. */
  #writer: Promise<BoundedClient> | undefined;
  #reader: BoundedClient | undefined;
  /** The last entry that this process has read. */
  #cursor = FIRST;
  /** Redis lost data, and not all entries of this process are in it again. A new connection continues the work. */
  #isRefilling = false;
  #isClosed = false;

  constructor(options: RedisLogOptions) {
    this.#options = options;
    this.#live = new LiveEntries(options.clock, options.most);
  }

  async append(entry: LogEntry): Promise<Appended> {
    if (this.#isClosed) return { kind: 'out', detail: 'it is closed' };
    try {
      const answer = await this.#write(entry);
      return answer === REJECTED ? { kind: 'out', detail: FULL } : { kind: answer === ADDED ? 'added' : 'again' };
    } catch (error) {
      return { kind: 'out', detail: `the Redis of received events: ${(error as Error).message}` };
    }
  }

  /** An idle connection may have been cut. The script adds no entry twice, so one repeat is safe. */
  async #write(entry: LogEntry, isRepeat = false): Promise<unknown> {
    this.#writer ??= this.#connected();
    const writer = this.#writer;
    try {
      // A Redis that lost its data may get an entry again that already has its place here.
      const room = this.has(entry) || this.#live.hasRoom(entry.issuer, 1) ? 'free' : 'full';
      return await answerWithin(this.#add(await writer, entry, room), DEADLINE);
    } catch (error) {
      const mayRepeat = !isRepeat && (await isCut(writer));
      this.#drop(writer);
      if (!mayRepeat || this.#isClosed) throw error;
      return this.#write(entry, true);
    }
  }

  /** Another entry may already have a newer connection. */
  #drop(writer: Promise<BoundedClient>): void {
    if (this.#writer === writer) this.#writer = undefined;
    disconnect(writer);
  }

  has(entry: Pick<LogEntry, 'issuer' | 'id'>): boolean {
    return this.#live.has(entryKey(entry));
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
    if (this.#writer !== undefined) disconnect(this.#writer);
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
    for (let block = false; !this.#isClosed; ) {
      if (this.#isRefilling) await this.#refill(reader);
      const before = this.#cursor;
      const read = await this.#next(reader, block);
      for (const [id, fields] of read) this.#take(id, fields);
      const isAll = read.length < AT_ONCE;
      if (!(await isThere(reader, before))) this.#startRefill();
      else if (isAll) this.#confirm();
      block = isAll && this.#cursor !== FIRST;
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
    if (entry !== undefined && mayCount(entry, this.#options.clock)) this.#live.add(entry);
  }

  /**
   * A Redis that lost its data also lost the entry at the cursor, whatever it got since. Then this process adds its
   * entries again, for replicas that start later, and reads from the beginning.
   */
  #startRefill(): void {
    this.#isRefilling = true;
    this.#cursor = FIRST;
    this.#live.reset();
  }

  async #refill(reader: BoundedClient): Promise<void> {
    for (const entries of batches(this.#live.all(), AT_ONCE))
      await Promise.all(entries.map((entry) => answerWithin(this.#add(reader, entry, 'free'), DEADLINE)));
    this.#isRefilling = false;
  }

  /** An entry that is already there needs no room, and its sender must learn that it is there. */
  async #add({ client, answered }: BoundedClient, entry: LogEntry, room: 'free' | 'full'): Promise<unknown> {
    const { clock, longest } = this.#options;
    const id = `${ID}${sha256(entryKey(entry)).toString('base64url')}`;
    const life = Math.max(1_000, entry.until * 1000 - clock.now());
    const answer = await client.eval(APPEND, 2, id, STREAM, JSON.stringify(entry), Math.ceil(life), longest, room);
    answered();
    return answer;
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

/** Whether the stream still has this entry. Removing old ones may remove it too, and then a refill costs little. */
async function isThere({ client, answered }: BoundedClient, id: string): Promise<boolean> {
  if (id === FIRST) return true;
  const found = (await answerWithin(client.call('XRANGE', STREAM, id, id), DEADLINE)) as readonly unknown[];
  answered();
  return found.length > 0;
}

/** Whether the connection was open and has ended. */
async function isCut(opening: Promise<BoundedClient>): Promise<boolean> {
  const opened = await opening.catch(() => undefined);
  return opened !== undefined && !(opened.client.status === 'ready' && opened.client.stream.writable);
}

function disconnect(opening: Promise<BoundedClient>): void {
  opening.then(
    ({ client }) => client.disconnect(),
    () => {},
  );
}
