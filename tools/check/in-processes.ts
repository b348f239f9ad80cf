// Runs test files in a few processes, one after another. A process for each file would spend most of its time on
// loading.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Parser } from 'tap-parser';
import { failed, watchFiles } from '../report.ts';
import { ENOUGH } from '../tap/patience.ts';
import { environment } from '../tap.ts';

/** How many files one process runs. Files leave memory behind, and this bounds how much. */
const FILES = 30;
/**
 * Milliseconds for one file, whatever limit it sets itself: a blocked file never gets to its own timer. Any other file
 * reaches its own limit first, and then reports what it knows.
 */
const LONGEST = ENOUGH + 60_000;
/** Milliseconds for a process to end after its last file. If it does not end, a file left something open. */
const END = 10_000;

/** The mutation tool strips types with a function of Node.js that prints a warning. */
const QUIET = ['--disable-warning=ExperimentalWarning'];

/** Loaded before the program, because that imports tap. */
const LIGHT = `--import=${new URL('../tap/light.ts', import.meta.url).href}`;

const program = fileURLToPath(new URL('shared-process.ts', import.meta.url));

export interface Kind {
  /**
   * Files that open no socket and start no process. They leave nothing behind, so one process can run any number of
   * them.
   */
  readonly pure?: boolean;
}

/** Runs the files, `jobs` at a time. Returns whether all passed. */
export async function inProcesses(files: readonly string[], jobs: number, kind: Kind = {}): Promise<boolean> {
  const left = [...files];
  const lane = async () => {
    let ok = true;
    while (left.length > 0) ok = (await runSome(left, kind)) && ok;
    return ok;
  };
  const lanes = await Promise.all(Array.from({ length: jobs }, lane));
  return lanes.every(Boolean);
}

/** Takes files off the list until its process has run the maximum. Returns whether all of these passed. */
async function runSome(left: string[], { pure = false }: Kind): Promise<boolean> {
  const child = spawn(process.execPath, [...QUIET, LIGHT, program, ...(pure ? ['--pure'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    env: environment(),
  });
  const feed = new Feed(child, left, pure ? Number.POSITIVE_INFINITY : FILES);
  const parser = new Parser();
  watchFiles(parser);
  child.stdout?.pipe(parser);
  feed.next();
  const status = await new Promise<number | string | null>((ended) =>
    child.once('close', (code, signal) => ended(code ?? signal)),
  );
  const current = feed.end();
  if (current !== undefined) failed(`${current}: its process ended with ${status}`);
  else if (status !== 0 && parser.ok) failed(`the process of ${feed.last}: it ended with ${status}`);
  else if (!parser.ok)
    for (const fault of reportFaults(parser)) failed(`the process of ${feed.last}: ${fault}; it ended with ${status}`);
  return status === 0 && parser.ok && current === undefined;
}

/** Faults of the report itself, such as a wrong plan. No file has them, so report.ts prints none. */
function reportFaults({ results }: Parser): readonly string[] {
  return (results?.failures ?? []).flatMap(({ tapError }) => (tapError ? [String(tapError)] : []));
}

/** Sends files to one process. */
class Feed {
  readonly #child: ChildProcess;
  readonly #left: string[];
  readonly #most: number;
  #count = 0;
  #current: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  last = '';

  /** `most`: the maximum of files for this process. */
  constructor(child: ChildProcess, left: string[], most: number) {
    this.#child = child;
    this.#left = left;
    this.#most = most;
    this.#names.on('data', () => this.next()).on('error', () => {});
  }

  /** The previous file is done. */
  next(): void {
    this.#current = this.#count++ < this.#most ? this.#left.shift() : undefined;
    if (this.#current === undefined) this.#names.end();
    else this.#names.write(`${this.#current}\n`);
    this.last = this.#current ?? this.last;
    this.#watch(this.#current === undefined ? END : LONGEST);
  }

  /** The process ended. Returns the file that was running, if any. */
  end(): string | undefined {
    clearTimeout(this.#timer);
    return this.#current;
  }

  get #names(): Duplex {
    return this.#child.stdio[3] as Duplex;
  }

  #watch(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#child.kill('SIGKILL'), milliseconds);
  }
}
