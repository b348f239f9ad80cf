/** What is wrong with one line of a user file. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

/** A file of users, one a line, and everything that is wrong with it. */
export interface ParsedUsers<Users> {
  readonly users: Users;
  readonly faults: readonly LineFault[];
}

/** A line of which something is said, and its fields. */
export interface UserLine {
  readonly line: number;
  readonly fields: readonly string[];
}

/** Lines that hold a user: not empty, and no comment. In NFC, as user names arrive (RFC 7617 §2.1). */
export function userLines(text: string): readonly UserLine[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((each, index) => ({ line: index + 1, fields: each.trim().normalize('NFC').split(':') }))
    .filter(({ fields: [first = '', second] }) => !(first.startsWith('#') || (first === '' && second === undefined)));
}
