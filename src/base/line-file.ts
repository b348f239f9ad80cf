import { type FileHandle, mkdir, open as openFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import type { Clock } from './clock.ts';

/** Appends lines in order. Lines that cannot be written are returned, never dropped. */
export interface LineFile {
  /** Rejects where the file cannot be opened for appending, or may be waited for; without it, the first line opens it. */
  open(): Promise<void>;
  append(line: string, lost: Lost): void;
  /** The file was renamed: the next line begins a new one. */
  reopen(): void;
  /** When what was appended is written or given back. */
  close(): Promise<void>;
}

/** Why a line is not in the file; undefined while the file rests after a fault, or too much waits for it. */
export type Lost = (fault: Error | undefined) => void;

interface Waiting {
  readonly line: string;
  readonly lost: Lost;
}

/** Characters that may wait for a slow disk. */
const MOST_WAITING = 1024 * 1024;

/** Characters, of three bytes at most: Node.js writes 512 KiB in one piece. */
const AT_ONCE = 128 * 1024;

/** Milliseconds after a fault in which the file is not tried again. */
const REST = 1000;

/** Asked before each write; true: the file was put aside, so that the next one is begun. */
export type TurnOver = (handle: FileHandle) => Promise<boolean>;

/** Mode 0600, where the file is new. After a fault it is opened again. */
export function lineFile(file: string, clock: Clock, turnOver: TurnOver = async () => false): LineFile {
  return new AppendedFile(file, clock, turnOver);
}

class AppendedFile implements LineFile {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #turnOver: TurnOver;
  #handle: FileHandle | undefined;
  #waiting: Waiting[] = [];
  /** Characters of all lines that are neither written nor given back. */
  #length = 0;
  /** Monotonic milliseconds. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;
  /** The handle may be that of a file that has another name by now. */
  #isRenamed = false;

  constructor(file: string, clock: Clock, turnOver: TurnOver) {
    this.#file = file;
    this.#clock = clock;
    this.#turnOver = turnOver;
  }

  async open(): Promise<void> {
    this.#handle ??= await openAtLineStart(this.#file);
  }

  append(line: string, lost: Lost): void {
    const isFull = this.#length + line.length > MOST_WAITING;
    if (isFull || this.#clock.monotonic() < this.#restsUntil) {
      lost(undefined);
      return;
    }
    this.#length += line.length;
    this.#waiting.push({ line, lost });
    this.#writing ??= this.#writeAll();
  }

  reopen(): void {
    this.#isRenamed = true;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeNext();
    this.#writing = undefined;
  }

  async #writeNext(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#atOnce());
    try {
      await this.open();
      await this.#nextFile();
      await this.#handle?.appendFile(batch.map(({ line }) => `${line}\n`).join(''));
      for (const { line } of batch) this.#length -= line.length;
    } catch (error) {
      await this.#giveBack(batch, error as Error);
    }
  }

  /** How many lines: between two writes another process may write lines of its own. */
  #atOnce(): number {
    let length = 0;
    const end = this.#waiting.findIndex(({ line }) => {
      length += line.length + 1;
      return length > AT_ONCE;
    });
    return end === -1 ? this.#waiting.length : Math.max(1, end);
  }

  async #nextFile(): Promise<void> {
    const before = this.#handle;
    if (before === undefined || !(this.#isRenamed || (await this.#turnOver(before)))) return;
    this.#isRenamed = false;
    this.#handle = undefined;
    await before.close();
    await this.open();
  }

  async #giveBack(batch: readonly Waiting[], fault: Error): Promise<void> {
    this.#restsUntil = this.#clock.monotonic() + REST;
    for (const { lost } of [...batch, ...this.#waiting]) lost(fault);
    this.#waiting = [];
    this.#length = 0;
    const broken = this.#handle;
    this.#handle = undefined;
    await broken?.close().catch(() => {});
  }
}

/** Where the last line was cut off, by a full disk or the end of the process, a new one begins. */
async function openAtLineStart(file: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await openFile(file, 'a+', 0o600);
  try {
    await refuseSlow(handle);
    if (await endsWithinLine(handle)) await handle.appendFile('\n');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A pipe without a reader, or a paused terminal, blocks a thread forever. Then no process can end cleanly. */
async function refuseSlow(handle: FileHandle): Promise<void> {
  const kind = await handle.stat();
  const isQuick = kind.isFile() || (kind.isCharacterDevice() && !isatty(handle.fd));
  if (!isQuick) throw new Error('it is not a regular file, and a write to it may wait for a reader');
}

/**
 * Whether a line was cut off. While another program writes, a look can fall into the middle of its line. The system writes
 * one piece after another into a file, so an empty write waits for that program; a file that has grown has no cut line.
 */
async function endsWithinLine(handle: FileHandle): Promise<boolean> {
  const cutAt = await endOfCutLine(handle);
  if (cutAt === undefined) return false;
  await handle.write('');
  return (await endOfCutLine(handle)) === cutAt;
}

/** The size of a file whose last byte ends no line. */
async function endOfCutLine(handle: FileHandle): Promise<number | undefined> {
  const { size } = await handle.stat();
  if (size === 0) return undefined;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a ? undefined : size;
}
