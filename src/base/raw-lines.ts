/** The values of a header, in the order of Node's `rawHeaders`. `name` is in lower case. */
export function rawLines(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
