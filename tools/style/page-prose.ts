// What a person reads in a page of Markdown or in the comments of YAML. Code is left out.
import type { Passage } from './passage.ts';

const FENCE = /^( *)(```|~~~).*\n[\s\S]*?^\1\2[ \t]*$/gm;
const blank = (match: string) => match.replace(/[^\n]/g, '');

/** Left-out text keeps its line breaks, so that line numbers stay right. */
function withoutCode(text: string): string {
  return text
    .replace(/^---\n[\s\S]*?\n---$/m, (front, at: number) => (at === 0 ? blank(front) : front))
    .replace(FENCE, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^\[[^\]]+\]: .*$/gm, '');
}

/** A part of a page between empty lines. Items of a list and rows of a table are separate parts. */
function partsOf(text: string): readonly { readonly line: number; readonly text: string }[] {
  const parts: { line: number; text: string }[] = [];
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    const begins = /^\s*(?:[-*+] |\d+\. |\||#|>)/.test(line);
    const last = parts.at(-1);
    if (line.trim() === '') isOpen = false;
    else if (isOpen && !begins && last !== undefined && !/^\s*[|#]/.test(last.text)) last.text += ` ${line.trim()}`;
    else {
      parts.push({ line: index + 1, text: line });
      isOpen = true;
    }
  }
  return parts;
}

function cells(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/** The column of a table that shows what not to write. */
const WRONG_ON_PURPOSE = /^(?:before|avoid|not|as it is)$/i;

/** Rows without the cells of a column that is wrong on purpose. */
function shownRows(
  parts: readonly { readonly line: number; readonly text: string }[],
): { readonly line: number; readonly text: string }[] {
  let skipped = -1;
  return parts.map(({ line, text }, index) => {
    if (!text.trim().startsWith('|')) return { line, text };
    if (!parts[index - 1]?.text.trim().startsWith('|'))
      skipped = cells(text).findIndex((cell) => WRONG_ON_PURPOSE.test(cell));
    return skipped < 0 ? { line, text } : { line, text: `| ${cells(text).toSpliced(skipped, 1).join(' | ')} |` };
  });
}

function passagesOf({ line, text }: { readonly line: number; readonly text: string }): Passage[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('#')) return [{ line, text: trimmed.replace(/^#+ */, ''), kind: 'heading' }];
  if (/^\|[-:| ]+\|$/.test(trimmed)) return [];
  if (trimmed.startsWith('|')) return cells(trimmed).map((cell) => ({ line, text: cell, kind: 'cell' }));
  return [{ line, text: trimmed.replace(/^(?:[-*+]|\d+\.|>+) +/, ''), kind: 'text' }];
}

/** @returns the passages of a page, with the line at which each begins. */
export function pageProse(text: string): Passage[] {
  return shownRows(partsOf(withoutCode(text)))
    .flatMap(passagesOf)
    .filter(({ text: said }) => /[A-Za-z]/.test(said));
}

/** @returns the comments inside the code blocks of a page. */
export function codeComments(text: string): Passage[] {
  return [...text.matchAll(FENCE)].flatMap(({ 0: block, index }) => {
    const begin = text.slice(0, index).split('\n').length;
    return block.split('\n').flatMap((line, below) => {
      const said = /(?:^|\s)(?:#|\/\/) ([A-Za-z`].*)$/.exec(line)?.[1];
      return said === undefined ? [] : [{ line: begin + below, text: said, kind: 'comment' as const }];
    });
  });
}

/** @returns the comments of a YAML file; lines that follow each other are one text. */
export function yamlProse(text: string): Passage[] {
  const passages: { line: number; text: string; kind: 'comment' }[] = [];
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    const comment = /^\s*#+ ?(.*)$/.exec(line)?.[1];
    const last = passages.at(-1);
    if (comment === undefined || comment.trim() === '' || /^[\w.]+:(?:$| \S)/.test(comment)) isOpen = false;
    else if (isOpen && last !== undefined) last.text += ` ${comment.trim()}`;
    else {
      passages.push({ line: index + 1, text: comment.trim(), kind: 'comment' });
      isOpen = true;
    }
  }
  return passages;
}
