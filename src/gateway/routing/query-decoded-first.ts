import { decodeOctets } from './form-parameters.ts';

/**
 * The query, with its `?`, as it looks to a server that decodes the whole target first: `%23` ends it, `%26` splits it,
 * and the URL parser drops line breaks, tabs and trailing blanks. Undefined: nothing is percent-encoded.
 */
export function queryDecodedFirst(target: string): string | undefined {
  if (!target.includes('%')) return undefined;
  // The characters that split a target are ASCII, so each octet is decoded alone.
  const [before = ''] = withoutBlanks(decodeOctets(target)).split('#', 1);
  const mark = before.indexOf('?');
  return mark === -1 ? '' : before.slice(mark);
}

/** URL Standard, basic URL parser, steps 1 and 3. */
function withoutBlanks(text: string): string {
  let end = text.length;
  // Before the text, the code is NaN, which ends the loop.
  while (text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(0, end).replace(/[\t\n\r]/g, '');
}

/**
 * Whether the path contains an encoded `?` or `#`. Then servers that decode first disagree about the beginning of the
 * query.
 */
export function isQueryUnclear(target: string): boolean {
  return target.includes('%') && SIGN_IN_PATH.test(target);
}

const SIGN_IN_PATH = /^[^?]*%(?:3f|23)/i;
