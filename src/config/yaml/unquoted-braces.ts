import type { Document, YAMLError } from 'yaml';
import { isSecretName } from '../words/secret-names.ts';

export interface Slip {
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

/** A word with a brace inside a flow map or list: `/orders/{id}` in `{ path: /orders/{id} }`. */
const braced = /[^\s,[\]{}"']*(?:\{[^{}\s"']*\}[^\s,[\]{}"']*)+/y;

/**
 * After this many typos the author has understood the mistake. Each one costs a parse, so a large file reports fewer.
 */
const mostSlips = 50;
/** All parses that search for these typos together read at most this many characters. A longer file gets one. */
const mostParsed = 512 * 1024;

/**
 * The most common typo: inside `{ … }` or `[ … ]`, YAML reads `{` as a map, so a path with a parameter needs quotes there. One
 * typo confuses the parser for the rest of the file. So each is reported once, its braces are replaced (by as many characters,
 * to keep positions), and the text is parsed again. Parsing takes most of the start time of a large file, so a text without
 * typos is parsed only once, and this result is returned.
 */
export function findSlips<Parsed extends { readonly document: Document }>(
  text: string,
  parse: (text: string) => Parsed,
): { parsed: Parsed; slips: readonly Slip[]; repaired: string } {
  const slips: Slip[] = [];
  let repaired = text;
  let parsed = parse(text);
  const most = Math.max(1, Math.min(mostSlips, Math.floor(mostParsed / text.length)));
  for (;;) {
    const next = nextSlip(repaired, parsed.document);
    if (next === undefined || slips.length >= most) return { parsed, slips, repaired };
    slips.push(tell(next, repaired));
    const masked = next.word.replaceAll('{', '(').replaceAll('}', ')');
    repaired = repaired.slice(0, next.start) + masked + repaired.slice(next.start + next.word.length);
    parsed = parse(repaired);
  }
}

function tell({ start, word }: { start: number; word: string }, text: string): Slip {
  const isTold = VARIABLE.test(word) || isShown(text.slice(Math.max(0, start - 200), start));
  const shown = isTold ? word : undefined;
  return {
    offset: start,
    message: `${shown === undefined ? 'this text' : `\`${shown}\``} must be quoted: inside { } or [ ], YAML reads its \`{\` as a map`,
    hint: shown === undefined ? 'put it in double quotes' : `write "${shown}"`,
  };
}

/** The name of a variable is not a secret. */
const VARIABLE = /^\$\{[A-Za-z_]\w*\}$/;

/** Keys whose values may contain braces and are never secret. */
const HARMLESS = ['path', 'user_key_uri_template'];

/** True directly after a harmless key, if no key of a secret is before it in this part of the file. */
function isShown(before: string): boolean {
  const part = before.split(/\n(?=[\w-]+:)/).at(-1) ?? '';
  const keys = [...part.matchAll(/([\w-]+)["']?\s*:(?=\s|$)/g)].map(([, key = '']) => key);
  const own = /([\w-]+)["']?\s*:\s+$/.exec(before)?.[1];
  return own !== undefined && HARMLESS.includes(own) && !keys.some(isSecretName);
}

function nextSlip(text: string, { errors: [error] }: Document): { start: number; word: string } | undefined {
  if (error === undefined || !mayBeSlip(error)) return undefined;
  const start = wordStart(text, error.pos[0]);
  braced.lastIndex = start;
  const word = braced.exec(text)?.[0];
  return word === undefined || /^\{[^}]*\}$/.test(word) ? undefined : { start, word };
}

function mayBeSlip({ code, message }: YAMLError): boolean {
  return (
    (code === 'UNEXPECTED_TOKEN' && message.includes('at node end')) ||
    (code === 'MISSING_CHAR' && message.includes('flow sequence'))
  );
}

/** The start of the word, searched backwards from the brace or from the text after a closing brace. */
function wordStart(text: string, from: number): number {
  let start = text[from - 1] === '}' ? text.lastIndexOf('{', from) : from;
  while (start > 0 && !/[\s,[\]{}"']/.test(text[start - 1] as string)) start--;
  return start;
}
