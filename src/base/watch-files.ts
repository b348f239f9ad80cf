import { type BigIntStats, statSync } from 'node:fs';

/** Files by name, each with its state when it was added. A later read sees this state or a newer one. */
export class WatchedFiles {
  readonly #states = new Map<string, string>();
  /** The last added state of each file, even of files that are no longer watched. */
  readonly #seen = new Map<string, string>();
  readonly #written = new Set<string>();

  add(file: string): void {
    if (this.#states.has(file)) return;
    const state = stateOf(file);
    this.#states.set(file, state);
    this.#compare(file, state);
    this.#seen.set(file, state);
  }

  /**
   * Files that were written in place since `settle`, so their writers may not have finished. A file that was replaced
   * by a rename, or by a change of its link, has a new inode, and does not count.
   */
  written(): readonly string[] {
    return [...this.#written].filter((file) => this.#states.has(file));
  }

  /** The loaded file is active. */
  settle(): void {
    this.#written.clear();
  }

  #compare(file: string, state: string): void {
    const before = this.#seen.get(file);
    if (before === undefined || before === state) return;
    // A file that disappeared may be in the middle of a replacement.
    if (before === ABSENT || inodeOf(before) === inodeOf(state)) this.#written.add(file);
    else this.#written.delete(file);
  }

  /** Clears the list, and returns the files that were watched. */
  clear(): readonly string[] {
    const files = [...this.#states.keys()];
    this.#states.clear();
    return files;
  }

  /** The state of all files; undefined if none has changed since it was added. */
  change(): string | undefined {
    const now = [...this.#states.keys()].map((file) => [file, stateOf(file)] as const);
    const isChanged = now.some(([file, state]) => state !== this.#states.get(file));
    return isChanged ? now.join('\n') : undefined;
  }
}

export interface WatchOptions {
  readonly files: WatchedFiles;
  /** Watches the files again, and so accepts the change that led to this call. */
  readonly onChange: () => Promise<unknown>;
  /** Milliseconds between two checks. */
  readonly every?: number;
}

/**
 * Calls `onChange` after a file changed and then stayed the same for one check. So a writer of several files, or of a file in
 * parts, can finish. It polls by name. This detects a renamed file and a changed symbolic link anywhere in the path (a
 * Kubernetes ConfigMap), and works on every file system.
 */
export function watchFiles({ files, onChange, every = 500 }: WatchOptions): { close(): void } {
  let before: string | undefined;
  let calling = false;
  const timer = setInterval(() => {
    const change = files.change();
    const isSettled = change !== undefined && change === before;
    before = change;
    if (!isSettled || calling) return;
    calling = true;
    void onChange().finally(() => {
      calling = false;
    });
  }, every);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const ABSENT = 'absent';

/** Device and inode number. */
function inodeOf(state: string): string {
  return state.split(' ', 2).join(' ');
}

function stateOf(file: string): string {
  const stats = stat(file);
  return stats === undefined ? ABSENT : [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

function stat(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
