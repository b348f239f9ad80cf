import { printableJson, printableValue } from '../../base/printable.ts';

/** Words that YAML does not read as text. */
const TAKEN = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** Writes text as a YAML scalar. Every place reads it as exactly this text, without placeholders. */
export function scalar(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_.-]*$/.test(text) && !TAKEN.test(text)) return text;
  return printableJson(text.replaceAll('${', () => '$${')).trimEnd();
}

export function yamlList(texts: Iterable<string>): string {
  return `[${[...texts].map(scalar).join(', ')}]`;
}

/** Foreign text, on one line of a comment. */
export function comment(text: string): string {
  return printableValue(text)
    .replace(/\ufffd+/g, ' ')
    .trim();
}
