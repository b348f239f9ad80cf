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
 * RFC 9110 §5.6.6: no blank around `=`, and a semicolon may have no parameter after it. A URI without quotes is not a
 * token, but every reader accepts the same value.
 */
const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:([^\s;,"\\]+)|"((?:[^"\\]|\\.)*)"))?/y;

/** Undefined: the text is not a media type. */
export function readMediaType(text: string): MediaType | undefined {
  const essence = ESSENCE.exec(text)?.[0];
  if (essence === undefined) return undefined;
  const parameters: (readonly [string, string])[] = [];
  let end = essence.length;
  for (let found = parameterAt(text, end); found !== null; found = parameterAt(text, end)) {
    end += found[0].length;
    const [, name, token, quoted] = found;
    if (name !== undefined) parameters.push([name.toLowerCase(), token ?? unescaped(quoted ?? '')]);
  }
  return text.slice(end).trim() === '' ? { essence: essence.toLowerCase(), parameters } : undefined;
}

function parameterAt(text: string, at: number): RegExpExecArray | null {
  PARAMETER.lastIndex = at;
  return PARAMETER.exec(text);
}
