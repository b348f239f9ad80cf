import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Loaded, Pointer, Position } from '../../../config/load/load.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import { shownText } from '../../../config/show/shown-text.ts';
import type { AskedFile } from '../../explain/ways.ts';
import type { LiveGeneration } from '../../generation/generation.ts';
import type { EventLog } from '../../receiver/event-log.ts';

/** The parts of the running file that questions read. */
export interface RunningFile {
  readonly file: AskedFile;
  /** The text without secrets. Undefined: there is no file, or it differs from the running one. */
  readonly text: string | undefined;
  /** What the reader must know about the positions and the text. */
  readonly remark: string | undefined;
}

export interface RunningFileOptions {
  readonly live: LiveGeneration;
  readonly directory: string;
  /** Reports of authorization servers. */
  readonly received?: EventLog | undefined;
  /** Reads the file again. Undefined: there is no file. */
  readonly load?: (() => Loaded<GatewayConfig>) | undefined;
  /** The positions, if there is no file to read again. */
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
}

/** Milliseconds for which a parsed file stays in memory after its last use. */
const KEPT = 60_000;

const NOWHERE: Position = { file: '', line: 0, column: 0 };

const DIFFERENT =
  'The file on disk differs from the running file, so no lines are shown. Reload the file, or read in the log why the gateway rejected it.';

/**
 * Finds the lines of the running file. A parsed file takes memory, so the gateway keeps none. This class reads the file again when someone
 * asks, and forgets it after a minute.
 */
export class RunningFiles {
  readonly #options: RunningFileOptions;
  #kept: { readonly config: GatewayConfig; readonly file: RunningFile } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RunningFileOptions) {
    this.#options = options;
  }

  current(): RunningFile {
    const { config } = this.#options.live.current;
    if (this.#kept?.config !== config) this.#kept = { config, file: this.#read(config) };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forget(), KEPT).unref();
    return this.#kept.file;
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#kept = undefined;
  }

  #read(config: GatewayConfig): RunningFile {
    const { load, directory, locate, received } = this.#options;
    const loaded = load?.();
    if (loaded?.ok === true && isSame(loaded.config, config)) {
      const { file } = loaded.locate([]);
      return { file: { config, directory, received, locate: loaded.locate }, text: textOf(file), remark: undefined };
    }
    const remark = load === undefined ? undefined : DIFFERENT;
    return { file: { config, directory, received, locate: locate ?? (() => NOWHERE) }, text: undefined, remark };
  }
}

/** A process group adds random keys to a file without its own. */
function isSame(loaded: GatewayConfig, running: GatewayConfig): boolean {
  const added = (['nonce_keys', 'ticket_keys', 'session_keys'] as const).filter((key) => loaded[key] === undefined);
  const own = Object.entries(running).filter(([key]) => !added.some((each) => each === key));
  return isDeepStrictEqual({ ...loaded }, Object.fromEntries(own));
}

/** Undefined: the file is gone since the load. */
function textOf(file: string): string | undefined {
  try {
    return shownText(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
