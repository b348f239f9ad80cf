/**
 * auth-params (RFC 9110 §11.2). Names are case-insensitive. Any value may be a token or a quoted-string. Spaces around
 * `=` and `,` and empty list elements are allowed. A repeated name is a fault, because two readers could use different
 * values.
 */
export type ParsedParameters =
  | { readonly kind: 'parameters'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'malformed'; readonly detail: ParameterFault };

export type ParameterFault =
  | 'not a list of parameters'
  | 'too long'
  | 'a parameter is too long'
  | 'too many parameters'
  | 'a parameter occurs twice';

/** Characters of the whole list, number of parameters, characters of one value. */
export const parameterLimits = { list: 8192, count: 32, value: 1024 } as const;

export function parseParameters(text: string): ParsedParameters {
  if (text.length > parameterLimits.list) return malformed('too long');
  const values = new Map<string, string>();
  if (!TEXT.test(text)) return malformed('not a list of parameters');
  let at = skip(text, 0, isMargin);
  while (at < text.length) {
    const found = parameterAt(text, at);
    if (found === undefined) return malformed('not a list of parameters');
    const fault = add(values, found);
    if (fault !== undefined) return malformed(fault);
    at = skip(text, found.end, isSpace);
    if (at < text.length && text.charCodeAt(at) !== COMMA) return malformed('not a list of parameters');
    at = skip(text, at, isMargin);
  }
  return { kind: 'parameters', values };
}

/** All allowed characters. They include obs-text, since the field value is read as latin1 (RFC 9110 §5.5). */
const TEXT = /^[\t \x21-\x7e\x80-\xff]*$/;

const [COMMA, EQUALS, QUOTE] = [0x2c, 0x3d, 0x22];

/** Indexed by character code: the tokens of RFC 9110 §5.6.2, and the separators of parameters. */
const isToken = among(/[!#$%&'*+.^_`|~0-9A-Za-z-]/);
const isSpace = among(/[\t ]/);
const isMargin = among(/[\t ,]/);

function among(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => Number(characters.test(String.fromCharCode(code))));
}

/** The end of a run of characters of one kind. */
function skip(text: string, from: number, isOfKind: Uint8Array): number {
  let at = from;
  while (at < text.length && isOfKind[text.charCodeAt(at)] === 1) at++;
  return at;
}

interface Found {
  readonly value: string;
  /** The position after the value. */
  readonly end: number;
}

function parameterAt(text: string, from: number): (Found & { readonly name: string }) | undefined {
  const end = skip(text, from, isToken);
  const equals = skip(text, end, isSpace);
  if (end === from || text.charCodeAt(equals) !== EQUALS) return undefined;
  const value = valueAt(text, skip(text, equals + 1, isSpace));
  return value && { name: text.slice(from, end).toLowerCase(), value: value.value, end: value.end };
}

function valueAt(text: string, from: number): Found | undefined {
  if (text.charCodeAt(from) === QUOTE) return quotedAt(text, from + 1);
  const end = skip(text, from, isToken);
  return end === from ? undefined : { value: text.slice(from, end), end };
}

/** Reads from after the first quotation mark (RFC 9110 §5.6.4). */
function quotedAt(text: string, from: number): Found | undefined {
  const end = text.indexOf('"', from);
  if (end === -1) return undefined;
  const value = text.slice(from, end);
  return value.includes('\\') ? unquotedAt(text, from) : { value, end: end + 1 };
}

const QUOTED = /((?:[^"\\]|\\.)*)"/sy;

function unquotedAt(text: string, from: number): Found | undefined {
  QUOTED.lastIndex = from;
  const found = QUOTED.exec(text);
  return found === null ? undefined : { value: (found[1] ?? '').replace(/\\(.)/gs, '$1'), end: QUOTED.lastIndex };
}

function add(
  values: Map<string, string>,
  { name, value }: { name: string; value: string },
): ParameterFault | undefined {
  if (value.length > parameterLimits.value) return 'a parameter is too long';
  if (values.has(name)) return 'a parameter occurs twice';
  values.set(name, value);
  return values.size > parameterLimits.count ? 'too many parameters' : undefined;
}

function malformed(detail: ParameterFault): ParsedParameters {
  return { kind: 'malformed', detail };
}
