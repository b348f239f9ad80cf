import { printableJson, printableValue } from '../../base/printable.ts';

/** Words that YAML takes for something else than text. */
const TAKEN = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** Text as a YAML scalar that is that text in every place, and in which a configuration file fills nothing in. */
export function scalar(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_.-]*$/.test(text) && !TAKEN.test(text)) return text;
  return printableJson(text.replaceAll('${', () => '$${')).trimEnd();
}

export function yamlList(texts: Iterable<string>): string {
  return `[${[...texts].map(scalar).join(', ')}]`;
}

/** What others wrote, on one line of a comment. */
export function comment(text: string): string {
  return printableValue(text)
    .replace(/\ufffd+/g, ' ')
    .trim();
}
