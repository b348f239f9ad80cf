/** Words that YAML takes for something else than text. */
const TAKEN = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** Text as a YAML scalar that is that text in every place, and in which a configuration file fills nothing in. */
export function scalar(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_.-]*$/.test(text) && !TAKEN.test(text)) return text;
  return JSON.stringify(text.replaceAll('${', () => '$${'));
}

export function list(texts: Iterable<string>): string {
  return `[${[...texts].map(scalar).join(', ')}]`;
}

/** What others wrote, on one line of a comment. */
export function comment(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would end the comment
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim();
}
