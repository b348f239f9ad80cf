/**
 * auth-params (RFC 9110 §11.2): names without case, values as token or quoted-string whatever the parameter, spaces
 * around `=` and `,`, empty list elements. A name that occurs twice is a fault: two readers could take two values.
 */
export type ParsedParameters =
  | { readonly kind: 'parameters'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'malformed'; readonly detail: ParameterFault };

export type ParameterFault =
  | 'not a list of parameters'
  | 'too long'
  | 'a parameter is too long'
  | 'too many parameters'
  | 'a parameter stands twice';

/** Characters of the whole list, parameters, characters of one value. */
export const parameterLimits = { list: 8192, count: 32, value: 1024 } as const;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// qdtext and quoted-pair (RFC 9110 §5.6.4); obs-text, since the field value is read as latin1.
const QUOTED = '"((?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*)"';
const PARAMETER = new RegExp(`(${TOKEN})[ \\t]*=[ \\t]*(?:(${TOKEN})|${QUOTED})`, 'y');
const SEPARATOR = /[ \t]*(?:,[ \t]*)+/y;
const MARGIN = /[ \t,]*/y;

export function parseParameters(text: string): ParsedParameters {
  if (text.length > parameterLimits.list) return malformed('too long');
  const values = new Map<string, string>();
  let at = after(MARGIN, text, 0) ?? 0;
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    const fault = found === null ? 'not a list of parameters' : add(values, found);
    if (fault !== undefined) return malformed(fault);
    at = PARAMETER.lastIndex;
    const next = after(SEPARATOR, text, at) ?? after(END, text, at);
    if (next === undefined) return malformed('not a list of parameters');
    at = next;
  }
  return { kind: 'parameters', values };
}

const END = /[ \t]*$/y;

function add(
  values: Map<string, string>,
  [, written = '', token, quoted]: RegExpExecArray,
): ParameterFault | undefined {
  const name = written.toLowerCase();
  const value = token ?? (quoted ?? '').replace(/\\(.)/gs, '$1');
  if (value.length > parameterLimits.value) return 'a parameter is too long';
  if (values.has(name)) return 'a parameter stands twice';
  values.set(name, value);
  return values.size > parameterLimits.count ? 'too many parameters' : undefined;
}

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function malformed(detail: ParameterFault): ParsedParameters {
  return { kind: 'malformed', detail };
}
