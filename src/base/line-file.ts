import { type FileHandle, mkdir, open as openFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import type { Clock } from './clock.ts';

/** Appends lines in order. Lines that cannot be written are returned, never dropped. */
export interface LineFile {
  /**
   * Rejects if the file cannot be opened for appending, or if writes may block. Without this call, the first line opens the
   * file.
   */
  open(): Promise<void>;
  append(line: string, lost: Lost): void;
  /** Call it after a rename: the next line begins a new file. */
  reopen(): void;
  /** Resolves when all lines are written or returned. */
  close(): Promise<void>;
}

/** Why a line is not in the file. Undefined while the file rests after a fault, or while too many lines wait. */
export type Lost = (fault: Error | undefined) => void;

interface Waiting {
  readonly line: string;
  readonly lost: Lost;
}

/** Characters that may wait for a slow disk. */
const MOST_WAITING = 1024 * 1024;

/** Characters, of at most three bytes: Node.js writes 512 KiB in one piece. */
const AT_ONCE = 128 * 1024;

/** Milliseconds after a fault until the next attempt. */
const REST = 1000;

/** Called before each write. True: the file was renamed, so a new file begins. */
export type TurnOver = (handle: FileHandle) => Promise<boolean>;

/** A new file has the mode 0600. After a fault, the file is opened again. */
export function lineFile(file: string, clock: Clock, turnOver: TurnOver = async () => false): LineFile {
  return new AppendedFile(file, clock, turnOver);
}

class AppendedFile implements LineFile {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #turnOver: TurnOver;
  #handle: FileHandle | undefined;
  #waiting: Waiting[] = [];
  /** Characters of all lines that are neither written nor returned. */
  #length = 0;
  /** Monotonic milliseconds. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;
  /** True if the file behind the handle may have another name by now. */
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

  /** The number of lines in the next write. Between two writes, another process may write its own lines. */
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

/** If a full disk or the end of a process cut the last line, a new line begins. */
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

/** A pipe without a reader, or a paused terminal, blocks a thread forever. Then the process cannot end cleanly. */
async function refuseSlow(handle: FileHandle): Promise<void> {
  const kind = await handle.stat();
  const isQuick = kind.isFile() || (kind.isCharacterDevice() && !isatty(handle.fd));
  if (!isQuick) throw new Error('it is not a regular file, and a write to it may wait for a reader');
}

/**
 * True if the last line was cut. While another program writes, a check may see half of its line. The system serializes writes
 * to a file, so an empty write waits for that program. A file that has grown meanwhile has no cut line.
 */
async function endsWithinLine(handle: FileHandle): Promise<boolean> {
  const cutAt = await endOfCutLine(handle);
  if (cutAt === undefined) return false;
  await handle.write('');
  return (await endOfCutLine(handle)) === cutAt;
}

/** The size of a file whose last byte does not end a line. */
async function endOfCutLine(handle: FileHandle): Promise<number | undefined> {
  const { size } = await handle.stat();
  if (size === 0) return undefined;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a ? undefined : size;
}
