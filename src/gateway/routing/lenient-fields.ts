import { fold } from '../../config/words/fold-name.ts';
import type { RequestHead } from '../message/request-head.ts';
import { decodeForm } from './form-parameters.ts';
import { isQueryUnclear, queryDecodedFirst } from './query-decoded-first.ts';

/**
 * The values of a name in a request: as its RFC reads them, and as a lenient upstream may. If the two differ, the gateway
 * cannot know which one the upstream uses.
 */
export interface FieldReading {
  readonly values: readonly string[];
  readonly lenient: readonly string[];
}

const NOTHING: FieldReading = { values: [], lenient: [] };

/** Servers behind CGI-like interfaces treat `X_Env` as `X-Env` (RFC 3875 §4.1.18). `name` is in lower case. */
export function headerReader(name: string): (head: RequestHead) => FieldReading {
  const folded = fold(name);
  return ({ fields }) => {
    let found: { readonly values: string[]; readonly lenient: string[] } | undefined;
    for (let i = 0; i < fields.length; i += 2) {
      const received = fields[i] as string;
      // A folded name is as long as the name. This alone excludes most of the others.
      if (received.length !== folded.length) continue;
      const isExact = received === name;
      if (!isExact && !foldsTo(received, folded)) continue;
      const value = fields[i + 1] as string;
      // Most requests have no such field or one, and V8 reserves more memory for a list that grows.
      if (found === undefined) found = { values: isExact ? [value] : [], lenient: [withoutBlanks(value)] };
      else {
        if (isExact) found.values.push(value);
        found.lenient.push(withoutBlanks(value));
      }
    }
    return found ?? NOTHING;
  };
}

/** Some servers remove more than the space and the tab of RFC 9110 §5.6.3: a no-break space, a next line. */
function withoutBlanks(value: string): string {
  if (isVisible(value, 0) && isVisible(value, value.length - 1)) return value;
  let [start, end] = [0, value.length];
  // Outside the value, `charAt` gives an empty text, which is no blank.
  while (BLANK.test(value.charAt(start))) start++;
  while (BLANK.test(value.charAt(end - 1))) end--;
  return value.slice(start, end);
}

/** The pattern is slow for the many values that begin and end with a visible character of ASCII. */
function isVisible(value: string, index: number): boolean {
  const code = value.charCodeAt(index);
  return code > 0x20 && code < 0x7f;
}

const BLANK = /[\s\x85]/;

/**
 * Like `fold(received) === folded`, for a name in lower case of the same length. The first character already excludes
 * nearly every other name.
 */
function foldsTo(received: string, folded: string): boolean {
  for (let i = 0; i < folded.length; i++) {
    if (received[i] !== folded[i] && (folded[i] !== '-' || PLAIN.test(received[i] as string))) return false;
  }
  return true;
}

const PLAIN = /[a-z0-9]/;

/** The parts of a request that contain parameters. */
export interface Queried {
  /** As received. */
  readonly target: string;
  /** With its `?`. */
  readonly query: string;
}

/** Lists at most two values, because two are as bad as a thousand. */
export function parameterReader(name: string): (request: Queried) => FieldReading {
  const begins = beginningOf(name);
  const isTaken = twinOf(name);
  const isSame = UNRESERVED.test(name)
    ? // nginx does not decode names, so a needlessly encoded name has two readings.
      (key: string) => key === name
    : (key: string) => key.length <= 3 * name.length && begins(key) && decodeForm(key) === name;
  const leniently = (query: string) => valuesIn(query, '&;', (key) => begins(key) && isTaken(key)).map(beforeNul);
  return ({ target, query }) => {
    const decodedFirst = queryDecodedFirst(target);
    if (query.length < 2 && !decodedFirst) return NOTHING;
    const values = valuesIn(query, '&', isSame);
    if (isQueryUnclear(target)) return { values, lenient: [...values, ''] };
    const lenient = leniently(query);
    if (decodedFirst === undefined || !areSame(values, lenient)) return { values, lenient };
    return { values, lenient: leniently(decodedFirst) };
  };
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}

const UNRESERVED = /^[A-Za-z0-9._~-]+$/;

/** A C string ends at NUL. */
function beforeNul(value: string): string {
  return value.split('\0', 1)[0] ?? '';
}

/**
 * `op[]` and `op[a]` are lists under the name `op`, and PHP drops text after the last bracket: `f[a]x` is `f[a]`. A longer
 * name is read only as far as needed.
 */
function twinOf(name: string): (key: string) => boolean {
  const folded = foldParameter(name);
  const further = folded.endsWith(']') ? folded : `${folded}[`;
  const longest = 3 * (name.length + 1);
  return (key) => {
    const plain = foldParameter(decodeForm(key.replace(BLANKS, '').slice(0, longest)));
    return plain === folded || plain.startsWith(further) || plain.replace('[', '_') === folded;
  };
}

/** Blanks before a name, in every encoding. */
const BLANKS = /^(?:\+|%20|%0[09a-d])+/i;

/**
 * Skips nearly every name of a flood. An encoded name, or one with a blank, may decode to anything, so it is not
 * skipped.
 */
function beginningOf(name: string): (key: string) => boolean {
  const first = name.slice(0, 1).toLowerCase();
  const isPlain = PLAIN.test(first);
  return (key) => {
    if (key.length < name.length) return false;
    const begin = key.slice(0, 1);
    return !isPlain || '%+ '.includes(begin) || begin.toLowerCase() === first;
  };
}

function valuesIn(query: string, separators: Separators, isOne: (key: string) => boolean): readonly string[] {
  const values: string[] = [];
  eachPair(query, separators, (key, value) => {
    if (isOne(key)) values.push(decodeForm(value()));
    return values.length > 1;
  });
  return values;
}

/** Some servers also end a parameter at `;` (HTML 4.01 §B.2.2). */
type Separators = '&' | '&;';

type Enough = (key: string, value: () => string) => boolean;

interface Place {
  readonly start: number;
  /** -1: there is none. */
  readonly equals: number;
  readonly end: number;
}

function tell(query: string, { start, equals, end }: Place, enough: Enough): boolean {
  const value = () => (equals === -1 ? '' : query.slice(equals + 1, end));
  return enough(query.slice(start, equals === -1 ? end : equals), value);
}

const [EQUALS, AMPERSAND, SEMICOLON] = [0x3d, 0x26, 0x3b];

/** Calls `visit` with each raw parameter after the `?`, in order, until it returns true. */
export function eachPair(query: string, separators: Separators, enough: Enough): void {
  let start = 1;
  let equals = -1;
  for (let at = 1; at <= query.length; at++) {
    const code = at === query.length ? AMPERSAND : query.charCodeAt(at);
    if (code === EQUALS && equals === -1) equals = at;
    if (code !== AMPERSAND && (code !== SEMICOLON || separators === '&')) continue;
    if (at > start && tell(query, { start, equals, end: at }, enough)) return;
    start = at + 1;
    equals = -1;
  }
}

/**
 * PHP trims blanks, ends a name at NUL, and turns a blank, a dot or an unclosed bracket into `_`. ASP.NET ignores case.
 */
export function foldParameter(name: string): string {
  return (name.split('\0', 1)[0] ?? '').trim().toLowerCase().replace(/[ .]/g, '_');
}
