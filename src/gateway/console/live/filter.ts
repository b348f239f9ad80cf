import { didYouMean } from '../../../config/words/closest.ts';
import { type FactName, type FactReaders, factNames } from './facts.ts';

/** True for decisions that a viewer wants to see. */
export type Filter<Source> = (source: Source) => boolean;

export type ParsedFilter =
  | { readonly ok: true; readonly words: readonly FilterWord[] }
  | { readonly ok: false; readonly fault: string };

/** Characters, and words. A filter runs for every decision, so it must stay cheap. */
const LONGEST = 512;
const MOST = 16;

/** One word of a filter: a fact, and the text that it must match, or must not match. */
export interface FilterWord {
  readonly name: FactName;
  readonly isNegative: boolean;
  readonly fits: (value: string) => boolean;
}

/**
 * Reads a filter such as `route:orders status:4xx -client:"Corner Shop" /orders`. All names must match. If a name occurs several
 * times, one matching value is enough. A word without a name is a part of the path. `*` stands for any text. `-` excludes.
 */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > LONGEST) return { ok: false, fault: `a filter has at most ${LONGEST} characters` };
  const written = text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  if (written.length > MOST) return { ok: false, fault: `a filter has at most ${MOST} words` };
  const words: FilterWord[] = [];
  for (const each of written) {
    const word = readWord(each);
    if (typeof word === 'string') return { ok: false, fault: word };
    words.push(word);
  }
  return { ok: true, words };
}

/** A word, or what is wrong with it. */
function readWord(text: string): FilterWord | string {
  const isNegative = text.startsWith('-') && text.length > 1;
  const positive = isNegative ? text.slice(1) : text;
  const [, name, value] = /^([a-z_]+):(.*)$/s.exec(positive) ?? [];
  if (name === undefined || value === undefined)
    return { name: 'path', isNegative, fits: contains(unquoted(positive)) };
  const known = factNames.find((each) => each === name);
  if (known === undefined) return unknownName(name);
  if (value === '') return `\`${name}:\` needs a value, such as \`${name}:${examples[known]}\``;
  return { name: known, isNegative, fits: (known === 'status' ? statusFits : pattern)(unquoted(value)) };
}

function unknownName(name: string): string {
  const hint = didYouMean(name, factNames);
  return `a filter cannot name \`${name}\`: ${hint ?? `use ${factNames.join(', ')}`}`;
}

const examples: Readonly<Record<FactName, string>> = {
  route: 'orders',
  status: '4xx',
  code: 'scope_insufficient',
  step: 'permit',
  method: 'GET',
  host: 'api.example.com',
  path: '/orders/*',
  address: '192.0.2.*',
  client: 'shop',
  subject: 'alice',
  mcp_method: 'tools/call',
  mcp_name: 'delete_user',
};

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}

function contains(part: string): FilterWord['fits'] {
  return pattern(`*${part}*`);
}

/** `4xx` and `40x` are classes. */
function statusFits(value: string): FilterWord['fits'] {
  return pattern(value.replaceAll(/x/gi, '?'));
}

/** `*`: any text. `?`: one character. Without either, the whole value must be equal. */
function pattern(text: string): FilterWord['fits'] {
  if (/^[^*?]*$/.test(text)) return (value) => value === text;
  if (/^[^*]*$/.test(text)) return (value) => value.length === text.length && fitsAt(value, 0, text);
  const [first = '', ...rest] = text.split('*');
  const last = rest.pop() ?? '';
  return (value) => value.startsWith(first) && inOrder(value, first.length, rest, last);
}

function fitsAt(value: string, at: number, part: string): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== '?' && part[i] !== value[at + i]) return false;
  return true;
}

/** Whether the parts follow each other in the value, and the last one ends it. Linear, whatever the filter. */
function inOrder(value: string, from: number, parts: readonly string[], last: string): boolean {
  let at = from;
  for (const part of parts) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}

/** It runs for every decision of a busy gateway, so it allocates nothing. */
export function compileFilter<Source>(words: readonly FilterWord[], facts: FactReaders<Source>): Filter<Source> {
  const wanted = Map.groupBy(
    words.filter(({ isNegative }) => !isNegative),
    ({ name }) => name,
  );
  const unwanted = words.filter(({ isNegative }) => isNegative);
  return allOf([
    ...[...wanted].map(([name, each]) => anyFits(each, facts[name])),
    ...unwanted.map((word) => not(anyFits([word], facts[word.name]))),
  ]);
}

function allOf<Source>(filters: readonly Filter<Source>[]): Filter<Source> {
  return (source) => {
    for (let i = 0; i < filters.length; i++) if (filters[i]?.(source) !== true) return false;
    return true;
  };
}

function anyFits<Source>(words: readonly FilterWord[], read: FactReaders<Source>[FactName]): Filter<Source> {
  return (source) => {
    const value = read(source);
    if (value === undefined) return false;
    for (let i = 0; i < words.length; i++) if (words[i]?.fits(value) === true) return true;
    return false;
  };
}

function not<Source>(filter: Filter<Source>): Filter<Source> {
  return (source) => !filter(source);
}
