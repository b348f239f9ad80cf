import { type FileHandle, mkdir, open as openFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../base/clock.ts';

/** Lines that are appended in order. What cannot be written is given back, never dropped. */
export interface LineFile {
  /** Rejects where the file cannot be opened for appending; without it, the first line opens it. */
  open(): Promise<void>;
  append(line: string, lost: Lost): void;
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

/** Milliseconds after a fault in which the file is not tried again. */
const REST = 1000;

/** Mode 0600, where the file is new. After a fault it is opened anew. */
export function lineFile(file: string, clock: Clock): LineFile {
  let handle: FileHandle | undefined;
  let waiting: Waiting[] = [];
  let length = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;

  async function open() {
    handle ??= await openAtLineStart(file);
  }

  async function writeAll() {
    while (waiting.length > 0) await writeNext();
    writing = undefined;
  }

  async function writeNext() {
    const batch = waiting;
    waiting = [];
    try {
      await open();
      await handle?.appendFile(batch.map(({ line }) => `${line}\n`).join(''));
      for (const { line } of batch) length -= line.length;
    } catch (error) {
      await giveBack(batch, error as Error);
    }
  }

  async function giveBack(batch: readonly Waiting[], fault: Error) {
    restsUntil = clock.monotonic() + REST;
    for (const { lost } of [...batch, ...waiting]) lost(fault);
    waiting = [];
    length = 0;
    const broken = handle;
    handle = undefined;
    await broken?.close().catch(() => {});
  }

  return {
    open,
    append(line, lost) {
      if (clock.monotonic() < restsUntil || length + line.length > MOST_WAITING) return lost(undefined);
      length += line.length;
      waiting.push({ line, lost });
      writing ??= writeAll();
    },
    async close() {
      await writing;
      await handle?.close();
      handle = undefined;
    },
  };
}

/** Where the last line was cut off, by a full disk or the end of the process, a new one begins. */
async function openAtLineStart(file: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await openFile(file, 'a+', 0o600);
  try {
    if (await endsWithinLine(handle)) await handle.appendFile('\n');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function endsWithinLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
