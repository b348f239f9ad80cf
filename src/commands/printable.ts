/** What a stranger sent must not steer the terminal: control characters but the line's end are replaced. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
  return text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '\u{fffd}');
}
