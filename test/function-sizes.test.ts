import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

/** Lines: a screen. */
const LONGEST_FUNCTION = 60;
const MOST_FIELDS = 12;

const src = fileURLToPath(new URL('../src', import.meta.url));

/** A part of a file from its first line to its closing line. The formatter gives both the same indentation. */
interface Part {
  readonly head: string;
  readonly lines: readonly string[];
}

function indentation(line: string): number {
  return line.search(/\S/);
}

/** What each line that ends with `{` opens. If its head has several lines, from the first of them. */
function partsOf(text: string): Part[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!line.endsWith('{')) return [];
    const beside = (each: string) => indentation(each) === indentation(line);
    const first = lines.findLastIndex((each, index) => index <= at && beside(each) && !/^[)}\]]/.test(each.trim()));
    const last = lines.findIndex((each, index) => index > at && beside(each) && each.trim().startsWith('}'));
    return [{ head: lines.slice(first, at + 1).join(' '), lines: lines.slice(first, last + 1) }];
  });
}

function isFunction({ head }: Part): boolean {
  if (/=> \{$/.test(head)) return true;
  const isBlock =
    /^\s*(?:\} )?(?:if|else|for|while|switch|catch|do|try|return|export (?:interface|type)|interface)\b/.test(head);
  return !isBlock && /^\s*[\w$#* ]*[\w$]+(?:<.*>)?\(.*\)(?:: .+)? \{$/.test(head);
}

function isClass({ head }: Part): boolean {
  return /^\s*(?:export )?(?:abstract )?class /.test(head);
}

const BOUND = /^\s*readonly #\w+ = (?:async )?\(.*(?:=>|\($|,$)/;

/**
 * Without bound methods. A bound method is a field only because it is passed as a function, for example to a timer or to
 * a socket. Its value never changes, so a reader of the class holds it as a method, and not as state. Such a field must be
 * `readonly`: a function that is replaced is state, and counts.
 */
function fieldsOf({ lines }: Part): string[] {
  const member = indentation(lines[0] ?? '') + 2;
  return lines.filter(
    (line) =>
      indentation(line) === member &&
      /^\s*(?:static )?(?:readonly )?#\w+(?:[?!]?:| =|;)/.test(line) &&
      !BOUND.test(line),
  );
}

function overlong(text: string): string[] {
  return partsOf(text)
    .filter((part) => isFunction(part) && part.lines.length > LONGEST_FUNCTION)
    .map(({ head, lines }) => `${lines.length} lines: ${head.trim()}`);
}

function overfull(text: string): string[] {
  return partsOf(text)
    .filter((part) => isClass(part) && fieldsOf(part).length > MOST_FIELDS)
    .map((part) => `${fieldsOf(part).length} fields: ${part.head.trim()}`);
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));

function found(look: (text: string) => string[]): string[] {
  return [...texts].flatMap(([file, text]) => look(text).map((each) => `${file}: ${each}`));
}

t.test('no function is longer than a screen', async (t) => {
  t.strictSame(found(overlong), []);
});

t.test('no class has more private fields than a reader can hold', async (t) => {
  t.strictSame(found(overfull), []);
  const classes = [...texts.values()].flatMap((text) => partsOf(text).filter(isClass));
  t.comment(
    `${Math.max(...classes.map((part) => fieldsOf(part).length))} fields in the largest of ${classes.length} classes`,
  );
});

t.test('this test finds functions and fields in each form', async (t) => {
  const body = (indent: string) => `${indent}  call();\n`.repeat(LONGEST_FUNCTION - 1);
  const long = {
    declared: `export async function* some<T>(a: T): Promise<T> {\n${body('')}}\n`,
    'on several lines': `function some(\n  a: string,\n): { b: string } {\n${body('')}}\n`,
    arrow: `const some = (a: string): void => {\n${body('')}};\n`,
    method: `class Some {\n  static async #some(a: string) {\n${body('  ')}  }\n}\n`,
    'getter of an object': `const some = {\n  get some() {\n${body('  ')}  },\n};\n`,
    callback: `run(async (a) => {\n${body('')}});\n`,
  };
  for (const [form, text] of Object.entries(long)) t.equal(overlong(text).length, 1, form);
  const fitting = `if (a(b)) {\n${body('')}}\ncall(a, {\n${body('')}});\n`;
  t.strictSame(overlong(fitting), [], 'a block is no function');

  const fields = Array.from({ length: MOST_FIELDS }, (_, index) => `  readonly #f${index}: () => void;\n`).join('');
  const bound = '  readonly #bound = (): void => {\n  };\n  #method(): void {\n  }\n';
  t.strictSame(overfull(`class Some {\n${fields}${bound}}\n`), []);
  t.equal(overfull(`class Some {\n${fields}${bound.replace('readonly ', '')}}\n`).length, 1, 'a replaceable function');
  t.equal(overfull(`export class Some extends Other {\n${fields}  #more = 1;\n}\n`).length, 1);
});
