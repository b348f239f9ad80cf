import type { Document, YAMLError } from 'yaml';
import { isSecretName } from './secret-names.ts';

export interface Slip {
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

/** A word with a brace inside a flow map or list: `/orders/{id}` in `{ path: /orders/{id} }`. */
const braced = /[^\s,[\]{}"']*(?:\{[^{}\s"']*\}[^\s,[\]{}"']*)+/y;

/** After so many the author has understood; each costs a parse. */
const mostSlips = 50;

/**
 * The commonest slip: `{` means a map to YAML wherever it stands inside `{ … }` or `[ … ]`, so a path with a parameter
 * must be quoted there. One slip derails the parser for the rest of the file; so each is told once, its braces are
 * replaced (by as many characters, so that places stay) and the text is parsed again. A large file takes most of its
 * start in the parser, so a text without slips is parsed once: what was parsed last is handed back.
 */
export function findSlips<Parsed extends { readonly document: Document }>(
  text: string,
  parse: (text: string) => Parsed,
): { parsed: Parsed; slips: readonly Slip[] } {
  const slips: Slip[] = [];
  let repaired = text;
  let parsed = parse(text);
  for (;;) {
    const next = nextSlip(repaired, parsed.document);
    if (next === undefined || slips.length >= mostSlips) return { parsed, slips };
    slips.push(tell(next, repaired));
    const masked = next.word.replaceAll('{', '(').replaceAll('}', ')');
    repaired = repaired.slice(0, next.start) + masked + repaired.slice(next.start + next.word.length);
    parsed = parse(repaired);
  }
}

function tell({ start, word }: { start: number; word: string }, text: string): Slip {
  const key = /([\w-]+)["']?\s*:\s*$/.exec(text.slice(Math.max(0, start - 200), start))?.[1];
  const shown = key !== undefined && isSecretName(key) ? undefined : word;
  return {
    offset: start,
    message: `${shown === undefined ? 'this text' : `\`${shown}\``} must be quoted: inside { } or [ ], YAML takes its \`{\` for a map`,
    hint: shown === undefined ? 'put it in double quotes' : `write "${shown}"`,
  };
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

/** Back from the brace, or from what follows a closing brace, to the beginning of the word. */
function wordStart(text: string, from: number): number {
  let start = text[from - 1] === '}' ? text.lastIndexOf('{', from) : from;
  while (start > 0 && !/[\s,[\]{}"']/.test(text[start - 1] as string)) start--;
  return start;
}
