import { OAuthError } from './errors.ts';

/** The parameters of one request. A value is never empty (RFC 6749 §3.2: an empty value counts as absent). */
export interface Parameters {
  get(name: string): string | undefined;
  /** All values of a parameter that may repeat. */
  all(name: string): readonly string[];
  /** The value, or `invalid_request`. */
  require(name: string): string;
  only(names: readonly string[]): Parameters;
}

/** RFC 8707 §2, RFC 8693 §2.1: the only parameters that may occur twice. */
const repeatable: ReadonlySet<string> = new Set(['resource', 'audience']);

/** Other names of the same parameters. Only this table maps them. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['app_id', 'client_id'],
  ['appid', 'client_id'],
  ['app_secret', 'client_secret'],
  ['appsecret', 'client_secret'],
]);

export interface ParameterOptions {
  readonly aliases: boolean;
  /** More parameter names that one endpoint accepts. */
  readonly moreAliases?: ReadonlyMap<string, string>;
  /** More parameters that may occur twice: the checkboxes of a page. */
  readonly repeatable?: readonly string[];
}

export interface ReadParameters {
  /** Without parameters that occur more than once, because their meaning is ambiguous. */
  readonly parameters: Parameters;
  /** The error for the first duplicate. */
  readonly duplicate: OAuthError | undefined;
}

/** Parses `application/x-www-form-urlencoded` text. `invalid_request` for broken encoding and for duplicates. */
export function parseOAuthParameters(text: string, options: ParameterOptions): Parameters {
  const { parameters, duplicate } = readParameters(text, options);
  if (duplicate !== undefined) throw duplicate;
  return parameters;
}

/**
 * Does the same, but returns the error for a duplicate: the other parameters may name the client that must get this
 * error.
 */
export function readParameters(text: string, options: ParameterOptions): ReadParameters {
  const values = new Map<string, readonly string[]>();
  const twice = new Set<string>();
  for (const [spelling, said] of collect(text)) {
    const name = canonical(spelling, options);
    const present = values.get(name) ?? said;
    const mayRepeat = repeatable.has(name) || options.repeatable?.includes(name) === true;
    // A parameter together with its alias: harmless with one value, ambiguous with two.
    if (present[0] !== said[0] || (said.length > 1 && !mayRepeat)) twice.add(name);
    values.set(name, present);
  }
  for (const name of twice) values.delete(name);
  const [first] = twice;
  return { parameters: parameters(values), duplicate: first === undefined ? undefined : repeated(first) };
}

function canonical(spelling: string, options: ParameterOptions): string {
  if (!options.aliases) return spelling;
  return aliases.get(spelling) ?? options.moreAliases?.get(spelling) ?? spelling;
}

function collect(text: string): ReadonlyMap<string, readonly string[]> {
  const written = new Map<string, string[]>();
  for (const [name, value] of pairs(text)) {
    if (value !== '') addValue(written, name, value);
  }
  return written;
}

function* pairs(text: string): Generator<[string, string]> {
  for (const piece of text.split('&')) {
    const equals = piece.indexOf('=');
    yield equals === -1
      ? [formDecode(piece), '']
      : [formDecode(piece.slice(0, equals)), formDecode(piece.slice(equals + 1))];
  }
}

function formDecode(text: string): string {
  const decoded = tryFormDecode(text);
  if (decoded === undefined)
    throw new OAuthError('invalid_request', { description: 'The form is not well-formed percent-encoded UTF-8.' });
  return decoded;
}

/** RFC 6749 Appendix B; undefined if the text is not percent-encoded UTF-8. */
export function tryFormDecode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function addValue(values: Map<string, string[]>, name: string, value: string): void {
  const present = values.get(name);
  if (present === undefined) values.set(name, [value]);
  else present.push(value);
}

function repeated(name: string): OAuthError {
  return new OAuthError('invalid_request', {
    description: `The parameter ${name.slice(0, 40)} occurs more than once.`,
  });
}

function parameters(values: ReadonlyMap<string, readonly string[]>): Parameters {
  const get = (name: string) => values.get(name)?.[0];
  return {
    get,
    all: (name) => values.get(name) ?? [],
    require: (name) => get(name) ?? missing(name),
    only: (names) => parameters(new Map([...values].filter(([name]) => names.includes(name)))),
  };
}

function missing(name: string): never {
  throw new OAuthError('invalid_request', { description: `The parameter ${name} is missing.` });
}
