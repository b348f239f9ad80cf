/**
 * `application/x-www-form-urlencoded` text, in a query or a body, looked through for one parameter and given back
 * without it. Every other byte stays as it was: the upstream's parser must see what the client wrote.
 */
export interface Taken {
  /** The decoded values of the parameter, in order. */
  readonly values: readonly string[];
  /** The text without those pairs. */
  readonly rest: string;
}

/** `text` is a latin1 string: one character a byte. */
export function takeParameter(text: string, name: string): Taken {
  const values: string[] = [];
  const rest: string[] = [];
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const key = equals === -1 ? pair : pair.slice(0, equals);
    if (isNamed(key, name)) values.push(equals === -1 ? '' : decodeForm(pair.slice(equals + 1)));
    else rest.push(pair);
  }
  return { values, rest: rest.join('&') };
}

/** A key of another length is none, so that of a flood of keys few are decoded: each character is written by one or three. */
function isNamed(key: string, name: string): boolean {
  return key.length >= name.length && key.length <= 3 * name.length && decodeForm(key) === name;
}

/** Whether the text can name the parameter at all: spares the parse of nearly every query. */
export function mayName(text: string, name: string): boolean {
  return text.includes(name) || text.includes('%');
}

/** Broken percent-encoding stays as it is: it can then be no part of a token. */
export function decodeForm(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
