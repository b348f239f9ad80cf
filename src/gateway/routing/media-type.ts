import { unescaped } from './unescaped.ts';

/** As RFC 9110 §8.3.1 has it, in lower case, and its parameters in order, names in lower case, values without quotes. */
export interface MediaType {
  readonly essence: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const ESSENCE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+/;

/**
 * RFC 9110 §5.6.6: no blank around `=`, and a parameter may be missing behind its semicolon. A URI without quotes is no
 * token, but every reader takes it for the same value.
 */
const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:([^\s;,"\\]+)|"((?:[^"\\]|\\.)*)"))?/y;

/** Undefined: it is none. */
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
