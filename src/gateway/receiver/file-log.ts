import { constants } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { batches } from '../../base/batches.ts';
import type { Clock } from '../../base/clock.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';
import { readEvent } from '../revocation/events.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import { type Appended, type EventLog, type LogEntry, mayCount } from './event-log.ts';
import { MemoryLog } from './memory-log.ts';

/** Lines that are written again only when this many more than the live entries have accumulated. */
const DEAD_LINES = 10_000;
/** Lines of one write. Other work runs between two of them. */
const AT_ONCE = 1_000;

/** The log of one process in a file, one JSON line for each entry. An entry is on the disk before it is answered. */
export class FileLog implements EventLog {
  /** The file itself, once it is known: a symbolic link to it stays. */
  #path: string;
  readonly #clock: Clock;
  readonly #memory: MemoryLog;
  readonly #deadLines: number;
  #file: FileHandle | undefined;
  #lines = 0;
  /** False: the last write failed. */
  #isSound = true;
  /** One write after the other. Entries that arrive meanwhile share the next one. */
  #writing: Promise<void> = Promise.resolve();
  #waiting: Batch | undefined;

  constructor(path: string, clock: Clock, deadLines = DEAD_LINES) {
    this.#path = path;
    this.#deadLines = deadLines;
    this.#clock = clock;
    this.#memory = new MemoryLog(clock, (entry) => this.#keep(entry));
  }

  append(entry: LogEntry): Promise<Appended> {
    return this.#memory.append(entry);
  }

  has(entry: Pick<LogEntry, 'issuer' | 'id'>): boolean {
    return this.#memory.has(entry);
  }

  feed(issuer: string): OpenFeed {
    return this.#memory.feed(issuer);
  }

  size(): number {
    return this.#memory.size();
  }

  async start(): Promise<void> {
    this.#path = await realpath(this.#path).catch(() => this.#path);
    await this.#restore();
    await this.#rewrite();
    await this.#memory.start();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#memory.close();
    await this.#file?.close();
    this.#file = undefined;
  }

  #keep(entry: LogEntry): Promise<void> {
    const line = lineOf(entry);
    if (this.#waiting !== undefined) {
      this.#waiting.lines.push(line);
      return this.#waiting.written;
    }
    const lines = [line];
    const written = this.#writing.then(() => this.#flush(lines));
    this.#waiting = { lines, written };
    this.#writing = written.catch(() => {});
    return written;
  }

  async #flush(lines: readonly string[]): Promise<void> {
    this.#waiting = undefined;
    const file = await this.#usable();
    this.#isSound = false;
    await file.appendFile(lines.join(''));
    await file.datasync();
    this.#isSound = true;
    this.#lines += lines.length;
  }

  /** The file that the next entries belong in. All earlier entries are in memory, so the file can be written again. */
  async #usable(): Promise<FileHandle> {
    const file = this.#file;
    if (file === undefined) throw new Error('it is closed');
    // A write that failed may have left a part of a line.
    if (!this.#isSound) return this.#rewrite();
    if ((await file.stat()).nlink === 0) return this.#replaced();
    return this.#lines > this.#memory.size() + this.#deadLines ? this.#shortened(file) : file;
  }

  /** The file was removed, so a restart could not read it. Another process may have written a new one. */
  async #replaced(): Promise<FileHandle> {
    await this.#restore();
    return this.#rewrite();
  }

  /** Without space for a second file, the long one still serves, until as many dead lines more are in it. */
  async #shortened(file: FileHandle): Promise<FileHandle> {
    try {
      return await this.#rewrite();
    } catch (error) {
      if (this.#file !== file) throw error;
      this.#lines = this.#memory.size();
      return file;
    }
  }

  async #restore(): Promise<void> {
    for await (const entry of storedEntries(this.#path)) if (mayCount(entry, this.#clock)) this.#memory.restore(entry);
  }

  /** Writes the live entries to a new file. A crash leaves the old file or the new one, and never a part of it. */
  async #rewrite(): Promise<FileHandle> {
    const next = `${this.#path}.new`;
    // A leftover of a crash. A link of another user is not followed.
    await rm(next, { force: true });
    const file = await open(next, 'wx', 0o600);
    let lines = 0;
    try {
      lines = await this.#fill(file);
      await rename(next, this.#path);
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file?.close();
    this.#file = file;
    this.#lines = lines;
    this.#isSound = false;
    await syncFolder(dirname(this.#path));
    this.#isSound = true;
    return file;
  }

  /** Returns the number of lines. All of them in one text could be longer than any text may be. */
  async #fill(file: FileHandle): Promise<number> {
    let count = 0;
    for (const entries of batches(this.#memory.all(), AT_ONCE)) {
      await file.appendFile(entries.map(lineOf).join(''));
      count += entries.length;
    }
    await file.datasync();
    return count;
  }
}

interface Batch {
  readonly lines: string[];
  readonly written: Promise<void>;
}

const lineOf = (entry: LogEntry) => `${JSON.stringify(entry)}\n`;

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().catch(() => {});
  await folder.close();
}

/** The entries in a file. A crash may leave a part of the last line. Its sender got no answer. */
export async function* storedEntries(path: string): AsyncIterable<LogEntry> {
  const file = await openRegular(path);
  if (file === undefined) return;
  for await (const line of linesOf(file)) {
    const entry = readEntry(line);
    if (entry !== undefined) yield entry;
  }
}

/** Node.js's own reader of lines also ends them at U+2028, which JSON does not escape. */
async function* linesOf(file: FileHandle): AsyncIterable<string> {
  let rest = '';
  for await (const piece of file.createReadStream({ encoding: 'utf8' })) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** Undefined: there is none. A pipe would wait forever, and a device would be replaced. */
async function openRegular(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a regular file`);
}

/** Undefined: not an entry. */
export function readEntry(text: string): LogEntry | undefined {
  const { issuer, id, until, events } = parseJsonObject(Buffer.from(text)) ?? {};
  if (typeof issuer !== 'string' || typeof id !== 'string' || !isTime(until) || !Array.isArray(events))
    return undefined;
  const read = events.map((each) => readEvent(String(each?.kind), each ?? {}));
  const known = read.filter((each) => each !== undefined);
  return known.length === read.length ? { issuer, id, until, events: known } : undefined;
}
