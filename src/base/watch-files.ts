import { type BigIntStats, statSync } from 'node:fs';

/** Files by name, each in its state when it was added: a later read gets that state or a newer one. */
export class WatchedFiles {
  readonly #states = new Map<string, string>();
  /** As each was when it was added last, also where it is watched no more. */
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
   * Files that were written in place since `settle`. Files that were replaced whole, by a rename or behind a link, are
   * another inode and not among these. Their writer may have stopped in the middle.
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
    // One that was away may be on its way back.
    if (before === ABSENT || inodeOf(before) === inodeOf(state)) this.#written.add(file);
    else this.#written.delete(file);
  }

  /** Those that were watched until now. */
  clear(): readonly string[] {
    const files = [...this.#states.keys()];
    this.#states.clear();
    return files;
  }

  /** All files as they are now; undefined where none differs from what it was when it was added. */
  change(): string | undefined {
    const now = [...this.#states.keys()].map((file) => [file, stateOf(file)] as const);
    const isChanged = now.some(([file, state]) => state !== this.#states.get(file));
    return isChanged ? now.join('\n') : undefined;
  }
}

export interface WatchOptions {
  readonly files: WatchedFiles;
  /** Watches the files again, so that the change that called is over. */
  readonly onChange: () => Promise<unknown>;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/**
 * Calls when a file changed and then stayed the same for one check, so that a writer of several files, or of one in parts,
 * can finish. Polls by name: that notices a renamed file and a changed symbolic link anywhere in the path (a Kubernetes
 * ConfigMap), and works on every file system.
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

/** Device and number. */
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
