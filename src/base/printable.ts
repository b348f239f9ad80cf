/** Control characters of C0, DEL and C1, and those that turn the direction of the line around them (UAX #9 §2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
const STEERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces all control characters except the line feed, so that a stranger's text cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(STEERS, '\u{fffd}');
}

/** Does the same for an excerpt of a file, and keeps tabs, which a caret below needs. */
export function printableExcerpt(text: string): string {
  return text.split('\t').map(printable).join('\t');
}

/** Does the same for one value, which must not begin a new line. */
export function printableValue(text: string): string {
  return printable(text).replaceAll('\n', '\u{fffd}');
}

/** JSON for people and programs, without control characters for a terminal. */
export function printableJson(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2));
}

/** Does the same in one line. */
export function printableJsonLine(value: unknown): string {
  return escaped(JSON.stringify(value));
}

function escaped(json = 'null'): string {
  return `${json.replace(STEERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** Makes all members that are texts, or lists of texts, printable. Almost all of them already are, and then nothing is copied. */
export function printableMembers<Members extends object>(members: Members): Members {
  if (Object.values(members).every(isPrintable)) return members;
  const entries = Object.entries(members).map(([name, value]) => [name, printableMember(value)]);
  return Object.fromEntries(entries) as Members;
}

function isPrintable(value: unknown): boolean {
  if (typeof value === 'string') return value.search(STEERS) === -1 && !value.includes('\n');
  return !Array.isArray(value) || value.every(isPrintable);
}

function printableMember(value: unknown): unknown {
  if (typeof value === 'string') return printableValue(value);
  return Array.isArray(value) ? value.map(printableMember) : value;
}
