/** The fault of one line of a user file. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

/** A file of users, one a line, and all its faults. */
export interface ParsedUsers<Users> {
  readonly users: Users;
  readonly faults: readonly LineFault[];
}

/** A line with a user, and its fields. */
export interface UserLine {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The lines with users: not empty, and no comment. In NFC, like usernames in requests (RFC 7617 §2.1). */
export function userLines(text: string): readonly UserLine[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((each, index) => ({ line: index + 1, fields: each.trim().normalize('NFC').split(':') }))
    .filter(({ fields: [first = '', second] }) => !(first.startsWith('#') || (first === '' && second === undefined)));
}
