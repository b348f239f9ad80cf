/**
 * A copy with its own memory, for a text that is kept. A slice of a header section would keep the whole section in
 * memory, with its credentials.
 */
export function ownText(text: string): string {
  const copy = Buffer.from(text, 'latin1').toString('latin1');
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le');
}
