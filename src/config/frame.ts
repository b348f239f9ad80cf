import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { isSecretName } from './secret-names.ts';

/** Shows one line of a file with a caret below it; what may be a secret is shown as asterisks. */
export function framer(text: string): (line: number, column: number) => string | undefined {
  const lines = maskPasswords(mask(text)).split(/\r?\n/);
  return (line, column) => {
    const shown = lines[line - 1];
    if (shown === undefined || shown.length > 400) return undefined;
    const number = String(line).padStart(5);
    const rest = shown.slice(column - 1);
    const width = Math.max(1, /^(["']).*?\1|^(?:\{[^}\s]*\}|[^\s,[\]{}:]|:(?=\S))+/.exec(rest)?.[0].length ?? 1);
    return `${number} | ${shown}\n${' '.repeat(5)} | ${shown.slice(0, column - 1).replace(/[^\t]/g, ' ')}${'^'.repeat(width)}`;
  };
}

function mask(text: string): string {
  const parsed = parseDocument(text, { prettyErrors: false });
  const spans = secretSpans(parsed.contents, false);
  const masked = spans.reduce(
    (shown, [start, end]) => shown.slice(0, start) + stars(shown.slice(start, end)) + shown.slice(end),
    text,
  );
  // A file that is not YAML has no reliable spans: there, all that follows such a key on its line is hidden.
  return parsed.errors.length === 0
    ? masked
    : masked.replace(/([\w-]+)(["']?\s*:\s*)(\S.*)/g, (found, key, colon, rest) =>
        isSecretName(key) ? key + colon + stars(rest) : found,
      );
}

/** From start to end of every secret scalar that stands in the text itself. */
function secretSpans(node: unknown, secret: boolean): [number, number][] {
  if (isSeq(node)) return node.items.flatMap((item) => secretSpans(item, secret));
  if (isMap(node)) {
    return node.items.flatMap(({ key, value }) => [
      ...secretSpans(key, secret),
      ...secretSpans(value, secret || (isScalar(key) && isSecretName(String(key.value)))),
    ]);
  }
  if (!secret || node === null || isAlias(node) || !isScalar(node) || !node.range) return [];
  return isVariable(node.value) ? [] : [[node.range[0], node.range[1]]];
}

function isVariable(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{[^}]*\}$/.test(value) && !value.includes(':-');
}

/** The password of a URL, wherever one stands. */
export function maskPasswords(text: string): string {
  return text.replace(/(:\/\/[^\s:/@]*:)([^\s/@]+)(?=@)/g, (_, before, password) => before + stars(password));
}

function stars(text: string): string {
  return text.replace(/[^\s]/g, '*');
}
