import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import { storageServerSchemes } from '../../base/storage-urls.ts';
import { isKnownKey } from '../schema/known-keys.ts';
import { holdsCredential, isSecretName } from '../words/secret-names.ts';
import { aliasTargets } from './alias-targets.ts';

/**
 * Shows one line of a file with a caret below it. Possible secrets become asterisks. In a file that is not YAML, no line can be
 * assigned to a key. So everything becomes asterisks, except keys and the few values that cannot be a secret.
 * @param contents undefined: the text is not YAML
 */
export function framer(
  text: string,
  contents: ParsedNode | null | undefined,
): (line: number, column: number) => string | undefined {
  const masked = contents === undefined ? keysAlone(text) : withoutSecrets(text, contents);
  const lines = maskValuesInKeys(maskPasswords(masked)).split(/\r?\n/);
  return (line, column) => {
    const whole = lines[line - 1];
    if (whole === undefined || whole.length > 400) return undefined;
    const shown = contents === undefined ? whole : withoutComment(whole);
    const number = String(line).padStart(5);
    const rest = shown.slice(column - 1);
    const width = Math.max(1, /^(["']).*?\1|^(?:\{[^}\s]*\}|[^\s,[\]{}:]|:(?=\S))+/.exec(rest)?.[0].length ?? 1);
    return `${number} | ${shown}\n${' '.repeat(5)} | ${shown.slice(0, column - 1).replace(/[^\t]/g, ' ')}${'^'.repeat(width)}`;
  };
}

/**
 * The whole file as a person may see and change it. A secret becomes `cover`, and comments and passwords in URLs become asterisks.
 */
export function coverSecrets(text: string, contents: ParsedNode | null | undefined, cover: string): string {
  if (contents === undefined) return keysAlone(text);
  const covers = (secret: string) => (secret.endsWith('\n') ? `${cover}\n` : cover);
  const covered = withoutSecrets(text, contents, covers, isSecretInFile);
  // YAML ends a line at any of these, and a comment with it.
  const lines = maskPasswords(covered).split(/\r\n?|[\n\u0085\u2028\u2029]/);
  return lines.map(withoutCommentText).join('\n');
}

/**
 * Names of settings are known. All other names belong to headers, parameters, or parts of the file that people name.
 */
function isSecretInFile(name: string): boolean {
  return isSecretName(name) || (holdsCredential(name) && !isKnownKey(name));
}

function withoutSecrets(
  text: string,
  contents: ParsedNode | null,
  cover: (secret: string) => string = stars,
  isSecret = isSecretName,
): string {
  let shown = '';
  let from = 0;
  const behind = contents === null ? NOTHING : behindAliases(contents);
  for (const [start, end] of secretSpans(text, contents, { isSecret, secret: false, behind })) {
    shown += text.slice(from, start) + cover(text.slice(Math.max(from, start), end));
    from = end;
  }
  return shown + text.slice(from);
}

/** Keeps keys, and the harmless values directly after them. */
function keysAlone(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: found, 1: key = '', index } of text.matchAll(HARMLESS)) {
    if (!isKnownKey(key) || isSecretName(key)) continue;
    shown += keysOf(text.slice(from, index)) + found;
    from = index + found.length;
  }
  return shown + keysOf(text.slice(from));
}

/**
 * A whole line with a key and a value that cannot be a secret, because it is too short or has a narrow form: a boolean,
 * a number or duration, an address, or the origin of a URL. A key at the beginning of its line has no secret before it
 * on the line.
 */
const HARMLESS =
  /^[^\S\n]*(?:-[^\S\n]+)?([\w-]+):[^\S\n]*(?:true|false|\d{1,5}(?:ms|s|m|h|d|KiB|MiB)?|(?:https?:\/\/)?(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?\/?)[^\S\n]*$/gm;

/** Keeps signs, and words of the two files in the place of a key. */
function keysOf(text: string): string {
  return text.replace(WORD, (word, colon) => {
    const isSign = /^(?:[-|>?#&*!]|---)$/.test(word);
    return isSign || (colon !== undefined && isKnownKey(word)) ? word : stars(word);
  });
}

/** Includes the colon of a key. After a quote, the colon needs no space. The space of the line's first key may be missing. */
const WORD = /[^\s{}[\],"':]+(?=(["'][^\S\n]*:|[^\S\n]*:(?:\s|$)|(?<=^[ \t]{0,99}(?:- {1,9}){0,9}[\w-]{1,99}):)?)/gm;

interface Around {
  /** Names below which a value is secret. */
  readonly isSecret: (name: string) => boolean;
  readonly secret: boolean;
  /** Nodes that are secrets because of an alias. */
  readonly behind: ReadonlySet<unknown>;
}

const NOTHING: ReadonlySet<unknown> = new Set();

/** If an alias is in the place of a secret, its anchor is secret too, although the anchor's own key does not show it. */
function behindAliases(contents: ParsedNode): ReadonlySet<unknown> {
  const targets = aliasTargets(contents);
  const behind = new Set<unknown>();
  for (const alias of targets.size === 0 ? [] : secretAliases(contents, false)) behind.add(targets.get(alias));
  // An alias may point to a node with another alias.
  for (const node of behind) for (const alias of secretAliases(node, true)) behind.add(targets.get(alias));
  return behind;
}

function secretAliases(node: unknown, secret: boolean): Alias[] {
  if (isAlias(node)) return secret ? [node] : [];
  if (isSeq(node)) return node.items.flatMap((item) => secretAliases(item, secret));
  if (!isMap(node)) return [];
  return node.items.flatMap(({ key, value }) =>
    secretAliases(value, secret || (isScalar(key) && isSecretName(String(key.value)))),
  );
}

/** The start and end of every secret scalar in the text. */
function secretSpans(text: string, node: unknown, around: Around): [number, number][] {
  const secret = around.secret || around.behind.has(node);
  const spans = (below: unknown, isSecret: boolean) => secretSpans(text, below, { ...around, secret: isSecret });
  if (isSeq(node)) return node.items.flatMap((item) => spans(item, secret));
  if (isMap(node)) {
    const firstValue = node.items.findIndex(hasValue);
    return node.items.flatMap(({ key, value }, index) => [
      ...spans(key, secret || isRest(node, index, firstValue)),
      ...spans(value, secret || (isScalar(key) && around.isSecret(String(key.value)))),
    ]);
  }
  if (!secret || !(isAlias(node) || isScalar(node)) || !node.range) return [];
  const [start, end] = node.range;
  return isScalar(node) && isVariable(node.value) ? [] : [[start - signsBefore(text, start), end]];
}

/** True for an item that may be the end of the secret before it: the secret had a comma, or a colon without a space. */
function isRest({ flow, items }: YAMLMap, index: number, firstValue: number): boolean {
  const pair = items[index];
  if (flow !== true || pair === undefined || hasValue(pair) || !isScalar(pair.key)) return false;
  const name = String(pair.key.value);
  return name.includes(':') || (firstValue !== -1 && firstValue < index && !isKnownKey(name));
}

function hasValue({ value }: Pair): boolean {
  return isScalar(value) ? value.value !== null : value !== null;
}

/** The same, and the line is still a comment. */
function withoutCommentText(line: string): string {
  return line.replace(COMMENT, (found, quoted) => quoted ?? `#${stars(found.slice(1))}`);
}

/** A comment often contains an earlier secret. Text in quotes is skipped. */
function withoutComment(line: string): string {
  return line.replace(COMMENT, (found, quoted) => quoted ?? stars(found));
}

const COMMENT = /((?:^|[:?-]\s|[,[{])\s*(?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'))|(?<=^|\s)#[^\n]*$/g;

/** YAML reads a password that starts with `!` or `&` as a tag or an anchor, completely or up to its first space. */
function signsBefore(text: string, start: number): number {
  return /(?:[!&][^\s!&,[\]{}]*\s*)*$/.exec(text.slice(Math.max(0, start - 300), start))?.[0].length ?? 0;
}

function isVariable(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{[^}]*\}$/.test(value) && !value.includes(':-');
}

/**
 * Without a colon or a slash, the end of the authority is unknown. The length is bounded, so that no text takes quadratic time.
 */
const MISSPELT = new RegExp(
  `(?<![\\w:])((?:${['https?', 'rediss?', ...storageServerSchemes()].join('|')})(?::/?|//?)(?!/)[^\\s:/@]*:)(\\S{1,300})(?=@)`,
  'gi',
);

/**
 * A raw password may contain a slash, as base64 does. In a web address, a number before a slash is a port. In a store's address
 * it counts as a password, because both look alike. The length is bounded, as above.
 */
const SPELT = new RegExp(
  `((?:\\b(?:${['rediss?', ...storageServerSchemes()].join('|')})://[^\\s:/@]*:)|//[^\\s:/@]*:(?!\\d{1,5}/))(\\S{1,1000})(?=@)`,
  'gi',
);

/**
 * The password of a URL, in any position: before the last `@` of the word, or in its query. The colon or a slash of the URL may
 * be missing.
 */
export function maskPasswords(text: string): string {
  return text
    .replace(SPELT, (_, before, password) => before + stars(password))
    .replace(MISSPELT, (_, before, password) => before + stars(password))
    .replace(/([?&]([\w-]+)=)([^&\s"'#]+)/g, (found, before, name, value) =>
      isSecretName(name) ? before + stars(value) : found,
    );
}

/** YAML reads `client_secret:…` without a space as one text, and the end of this text is a secret. */
export function maskValuesInKeys(text: string): string {
  return text.replace(/(?<![\w-])([\w-]{1,64}):(?!\/\/)\S+/g, (found, key) =>
    isKnownKey(key) && isSecretName(key) ? `${key}:${stars(found.slice(key.length + 1))}` : found,
  );
}

function stars(text: string): string {
  return text.replace(/[^\s]/g, '*');
}
