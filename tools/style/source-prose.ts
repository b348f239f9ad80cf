// What a person reads in a TypeScript file: comments, and the strings that hold a sentence.
import type { Passage } from './passage.ts';

interface Piece {
  readonly kind: 'comment' | 'string' | 'code';
  readonly text: string;
  readonly at: number;
}

/** After these a slash begins a regular expression, not a division. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\n>]|\breturn|\btypeof|\bcase)\s*$/;

const TOKENS: readonly (readonly [Piece['kind'], RegExp])[] = [
  ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\//y],
  ['string', /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y],
];
const PATTERN = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A template literal from its first backtick. Each insertion is replaced by `X`, and is read separately as code. */
function template(
  text: string,
  begin: number,
): { readonly end: number; readonly said: string; readonly code: readonly number[][] } {
  const code: number[][] = [];
  let said = '';
  let at = begin + 1;
  while (at < text.length && text[at] !== '`') {
    if (text[at] === '\\') {
      said += text.slice(at, at + 2);
      at += 2;
    } else if (text.startsWith('${', at)) {
      const end = closing(text, at + 2);
      code.push([at + 2, end]);
      said += 'X';
      at = end + 1;
    } else {
      said += text[at];
      at += 1;
    }
  }
  return { end: at + 1, said, code };
}

/** The brace that closes an insertion. */
function closing(text: string, begin: number): number {
  let depth = 0;
  let at = begin;
  while (at < text.length) {
    if (text[at] === '`') {
      at = template(text, at).end;
      continue;
    }
    const string = matchAt(TOKENS[1]?.[1] ?? /$/y, text, at);
    if (string !== undefined && string !== '') {
      at += string.length;
      continue;
    }
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') {
      if (depth === 0) return at;
      depth -= 1;
    }
    at += 1;
  }
  return at;
}

function piecesOf(text: string, begin = 0, end = text.length): Piece[] {
  const pieces: Piece[] = [];
  let at = begin;
  while (at < end) {
    const [kind, found] = tokenAt(text, at);
    if (found !== undefined && kind !== undefined) {
      if (kind !== 'code') pieces.push({ kind, text: found, at });
      at += found.length;
    } else if (text[at] === '`') {
      const { end: after, said, code } = template(text, at);
      pieces.push({ kind: 'string', text: `\`${said}\``, at });
      for (const [from = 0, to = 0] of code) pieces.push(...piecesOf(text, from, to));
      at = after;
    } else at += 1;
  }
  return pieces;
}

function tokenAt(text: string, at: number): readonly [Piece['kind'], string] | readonly [undefined, undefined] {
  for (const [kind, pattern] of TOKENS) {
    const found = matchAt(pattern, text, at);
    if (found !== undefined) return [kind, found];
  }
  if (text[at] === '/' && BEFORE_PATTERN.test(text.slice(Math.max(0, at - 20), at))) {
    const found = matchAt(PATTERN, text, at);
    if (found !== undefined) return ['code', found];
  }
  return [undefined, undefined];
}

const NO_PROSE =
  /^\s*(?:<|\*, \*::|SELECT|INSERT|UPDATE|DELETE|SET |CREATE|ALTER|DROP|WITH|FROM|WHERE|PRAGMA|local |return |biome-ignore|#compdef|# (?:bash|fish) completion|@\w+ \{)/i;

/** At least three words of letters. A shorter string is a key, a header or a name. */
function isProse(text: string): boolean {
  return !NO_PROSE.test(text) && (text.match(/(?<=^|[\s("'`])[A-Za-z][a-z']*(?=[\s,.:;)"'`]|$)/g) ?? []).length >= 3;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function bare(comment: string): string {
  return comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .replace(/^\s*(?:\/\/|\*(?!\/))/gm, '')
    .replace(/^\s*@(?:param|returns|throws|template)\b\s*(?:\{[^}]*\})?\s*/gm, '\n\n')
    .replace(/^\s*- /gm, '\n\n');
}

/** Line comments that follow each other are one text. */
function joined(pieces: readonly Piece[], text: string): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const between = last === undefined ? '' : text.slice(last.at + last.text.length, piece.at);
    if (
      last?.kind === 'comment' &&
      last.text.startsWith('//') &&
      piece.text.startsWith('//') &&
      /^\n\s*$/.test(between)
    ) {
      all[all.length - 1] = { ...last, text: `${last.text}${between}${piece.text}` };
    } else all.push(piece);
  }
  return all;
}

/** @returns the passages of one file, with the line at which each begins. */
export function sourceProse(text: string): Passage[] {
  return joined(piecesOf(text), text).flatMap((piece) => {
    const said =
      piece.kind === 'comment'
        ? bare(piece.text)
        : piece.text
            .slice(1, -1)
            .replace(/\\n/g, '\n\n')
            .replace(/^ {2,}.*$/gm, '')
            .replace(/\\(.)/g, '$1');
    if (!isProse(said)) return [];
    return [{ line: lineOf(text, piece.at), text: said, kind: piece.kind === 'comment' ? 'comment' : 'string' }];
  });
}
