/** A position in a file, counted from 1. Line 0: not in a file; `file` then names an environment variable. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The path to a value: keys and list indexes from the top of the file. */
export type Pointer = readonly (string | number)[];

/** A fault of a configuration file, in the words of its author. It never contains a secret. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
  /** The line of the file with a caret below, secrets masked. */
  readonly frame?: string;
}

/** A problem at a place in the tree of values. The loader converts the place to a position in the file. */
export interface Finding {
  readonly pointer: Pointer;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Absent: an error. */
  readonly severity?: 'warning';
  /** True if the key is wrong, not its value. */
  readonly atKey?: boolean;
}
