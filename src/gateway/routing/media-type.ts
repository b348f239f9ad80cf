import { unescaped } from './unescaped.ts';

/**
 * A media type as in RFC 9110 §8.3.1, in lower case. Its parameters are in order, with lower-case names and unquoted
 * values.
 */
export interface MediaType {
  readonly essence: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const ESSENCE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+/;

/**
 * RFC 9110 §5.6.6: no blank around `=`. A URI without quotes is not a token, but every reader accepts the same value.
 */
const PARAMETER = /([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:([^\s;,"\\]+)|"((?:[^"\\]|\\.)*)")/y;

/** Undefined: the text is not a media type. */
export function readMediaType(text: string): MediaType | undefined {
  const essence = ESSENCE.exec(text)?.[0];
  if (essence === undefined) return undefined;
  const parameters: (readonly [string, string])[] = [];
  let end = essence.length;
  for (let at = afterSemicolons(text, end); at > end; at = afterSemicolons(text, end)) {
    const found = parameterAt(text, at);
    end = at + (found?.[0].length ?? 0);
    if (found !== null) parameters.push(parameterOf(found));
  }
  return text.slice(end).trim() === '' ? { essence: essence.toLowerCase(), parameters } : undefined;
}

/** The end of semicolons and the blanks around them: a semicolon may have no parameter after it (RFC 9110 §5.6.6). */
function afterSemicolons(text: string, start: number): number {
  let end = start;
  let hasOne = false;
  for (; end < text.length; end++) {
    const character = text[end];
    if (character === ';') hasOne = true;
    else if (character !== ' ' && character !== '\t') break;
  }
  return hasOne ? end : start;
}

function parameterAt(text: string, at: number): RegExpExecArray | null {
  PARAMETER.lastIndex = at;
  return PARAMETER.exec(text);
}

function parameterOf([, name = '', token, quoted = '']: RegExpExecArray): MediaType['parameters'][number] {
  return [name.toLowerCase(), token ?? unescaped(quoted)];
}
