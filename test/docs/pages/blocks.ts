import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Where it begins: PAGE:LINE. */
  readonly place: string;
  /** The text between the previous block and this one. */
  readonly prose: string;
}

/** Every fenced block of a page, in order. The page is named from the root: docs/quick-start.md. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let prose: string[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of readFileSync(`${root}${page}`, 'utf8').split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (fence === null) (open?.lines ?? prose).push(line);
    else if (open === undefined)
      open = { language: languageOf(line, `${page}:${index + 1}`), line: index + 1, lines: [] };
    else {
      const text = open.lines.map((each) => `${each}\n`).join('');
      blocks.push({ language: open.language, text, place: `${page}:${open.line}`, prose: prose.join('\n') });
      [open, prose] = [undefined, []];
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: a block that does not end`);
  return blocks;
}

/** No test would see a fence inside a list, or without a language. */
function languageOf(line: string, place: string): string {
  const language = /^```([a-z]+)$/.exec(line)?.[1];
  if (language === undefined) throw new Error(`${place}: a fence that says no language, or does not begin its line`);
  return language;
}
