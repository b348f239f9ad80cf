import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, seconds } from '../../base/clock.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';
import { readEvent } from '../revocation/events.ts';
import type { OpenFeed } from '../revocation/follow-feed.ts';
import type { Appended, EventLog, LogEntry } from './event-log.ts';
import { MemoryLog } from './memory-log.ts';

/** Lines that are written again only when this many more than the live entries have accumulated. */
const DEAD_LINES = 10_000;

/** The log of one process in a file, one JSON line for each entry. An entry is on the disk before it is answered. */
export class FileLog implements EventLog {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #memory: MemoryLog;
  #file: FileHandle | undefined;
  #lines = 0;
  /** One write after the other. Entries that arrive meanwhile share the next one. */
  #writing: Promise<void> = Promise.resolve();
  #waiting: Batch | undefined;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#memory = new MemoryLog(clock, (entry) => this.#keep(entry));
  }

  append(entry: LogEntry): Promise<Appended> {
    return this.#memory.append(entry);
  }

  feed(issuer: string): OpenFeed {
    return this.#memory.feed(issuer);
  }

  size(): number {
    return this.#memory.size();
  }

  async start(): Promise<void> {
    const now = seconds(this.#clock);
    this.#memory.restore((await storedEntries(this.#path)).filter(({ until }) => until > now));
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
    const line = `${JSON.stringify(entry)}\n`;
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
    if (this.#file === undefined) throw new Error('it is closed');
    await this.#file.appendFile(lines.join(''));
    await this.#file.datasync();
    this.#lines += lines.length;
    if (this.#lines > this.#memory.size() + DEAD_LINES) await this.#rewrite();
  }

  /** Writes the live entries to a new file. A crash leaves the old file or the new one, and never a part of it. */
  async #rewrite(): Promise<void> {
    const entries = [...this.#memory.all()];
    const next = `${this.#path}.new`;
    const file = await open(next, 'w', 0o600);
    await file.appendFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    await file.datasync();
    await rename(next, this.#path);
    await syncFolder(dirname(this.#path));
    await this.#file?.close();
    this.#file = file;
    this.#lines = entries.length;
  }
}

interface Batch {
  readonly lines: string[];
  readonly written: Promise<void>;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().catch(() => {});
  await folder.close();
}

/** The entries in a file. Rejects if it cannot be read; a missing file has none. */
export async function storedEntries(path: string): Promise<readonly LogEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // A crash may leave a part of the last line. Its sender got no answer.
  return text.split('\n').flatMap((line) => readEntry(line) ?? []);
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
