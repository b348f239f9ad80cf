/** Where something stands in a file, counted from 1. Line 0: not in a file; `file` then names an environment variable. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The way to a value: keys and list indexes from the top of the file. */
export type Pointer = readonly (string | number)[];

/** What is wrong with a configuration file, in the words of its author. Never holds a secret. */
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

/** A problem that is known by its place in the tree of values; the loader turns it into a place in the file. */
export interface Finding {
  readonly pointer: Pointer;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Error when absent. */
  readonly severity?: 'warning';
  /** The key is at fault, not its value. */
  readonly atKey?: boolean;
}
