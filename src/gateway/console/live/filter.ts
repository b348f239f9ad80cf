import { didYouMean } from '../../../config/words/closest.ts';
import { type FactName, type FactOf, factNames } from './facts.ts';

/** True for decisions that a viewer wants to see. */
export type Filter = (fact: FactOf) => boolean;

export type ParsedFilter =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly fault: string };

/** Characters, and words. A filter runs for every decision, so it must stay cheap. */
const LONGEST = 512;
const MOST = 16;

/** One word of a filter: a fact, and the text that it must match, or must not match. */
interface Word {
  readonly name: FactName;
  readonly isNegative: boolean;
  readonly fits: (value: string) => boolean;
}

/**
 * Reads a filter such as `route:orders status:4xx -client:"Corner Shop" /orders`. All names must match, and one of several values of the
 * same name. A word without a name is a part of the path. `*` stands for any text. `-` excludes.
 */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > LONGEST) return { ok: false, fault: `a filter has at most ${LONGEST} characters` };
  const written = text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  if (written.length > MOST) return { ok: false, fault: `a filter has at most ${MOST} words` };
  const words: Word[] = [];
  for (const each of written) {
    const word = readWord(each);
    if (typeof word === 'string') return { ok: false, fault: word };
    words.push(word);
  }
  return { ok: true, filter: filterOf(words) };
}

/** A word, or what is wrong with it. */
function readWord(text: string): Word | string {
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

function contains(part: string): Word['fits'] {
  return pattern(`*${part}*`);
}

/** `4xx` and `40x` are classes. */
function statusFits(value: string): Word['fits'] {
  return pattern(value.replaceAll(/x/gi, '?'));
}

/** `*`: any text. `?`: one character. Without either, the whole value must be equal. */
function pattern(text: string): Word['fits'] {
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
function filterOf(words: readonly Word[]): Filter {
  const wanted = [
    ...Map.groupBy(
      words.filter(({ isNegative }) => !isNegative),
      ({ name }) => name,
    ),
  ];
  const unwanted = words.filter(({ isNegative }) => isNegative);
  return (fact) => {
    for (const [name, each] of wanted) if (!anyFits(each, fact(name))) return false;
    for (const { name, fits } of unwanted) if (fitsOne(fits, fact(name))) return false;
    return true;
  };
}

function anyFits(words: readonly Word[], value: string | undefined): boolean {
  for (const { fits } of words) if (fitsOne(fits, value)) return true;
  return false;
}

function fitsOne(fits: Word['fits'], value: string | undefined): boolean {
  return value !== undefined && fits(value);
}
