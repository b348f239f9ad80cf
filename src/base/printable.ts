/** Control characters of C0, DEL and C1, and those that turn the direction of the line around them (UAX #9 §2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
const STEERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a stranger sent must not steer the terminal: control characters but the line's end are replaced. */
export function printable(text: string): string {
  return text.replace(STEERS, '\u{fffd}');
}

/** The same for a piece of a file, in which tabs put a caret where it belongs. */
export function printableExcerpt(text: string): string {
  return text.split('\t').map(printable).join('\t');
}

/** The same for one value among others, which begins no line of its own. */
export function printableValue(text: string): string {
  return printable(text).replaceAll('\n', '\u{fffd}');
}

/** JSON for people and programs: the same values, and no character in it that steers a terminal. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return `${text.replace(STEERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** The members that are texts, or lists of them, each printable. */
export function printableMembers<Members extends object>(members: Members): Members {
  const entries = Object.entries(members).map(([name, value]) => [name, printableMember(value)]);
  return Object.fromEntries(entries) as Members;
}

function printableMember(value: unknown): unknown {
  if (typeof value === 'string') return printableValue(value);
  return Array.isArray(value) ? value.map(printableMember) : value;
}
