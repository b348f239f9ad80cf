import { isUtf8 } from 'node:buffer';
import { readRegular } from './read-regular.ts';

/** Bytes: enough for 40,000 routes. The process parses only a few MiB of YAML in a second, and does nothing else meanwhile. */
export const LARGEST_FILE = 4 * 1024 * 1024;

export type ReadText =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly line: number;
      readonly column: number;
      readonly message: string;
      /** Absent: the file does not exist. */
      readonly hint?: string;
    };

/**
 * The text of a configuration file, without its byte order mark.
 * @param waits true: reads a pipe to its end, however long this takes
 */
export function readText(file: string, { waits }: { readonly waits: boolean }): ReadText {
  const read = readRegular(file, { most: LARGEST_FILE, waits });
  if (read.ok) return decode(read.bytes);
  const { reason, ...rest } = read;
  return { ...rest, line: 1, column: 1, message: `the file ${reason}` };
}

function decode(bytes: Buffer): ReadText {
  if (startsUtf16(bytes)) return notText({ line: 1, column: 1 }, 'the file is UTF-16', 'save it as UTF-8');
  if (!isUtf8(bytes)) return notText(firstBroken(bytes), 'a byte that is not UTF-8', 'save the file as UTF-8');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const at = text.search(CONTROL);
  return at < 0 ? { ok: true, text } : notText(placeIn(text, at), control(text.charCodeAt(at)), unprintable);
}

function notText(place: Place, message: string, hint: string): ReadText {
  return { ok: false, ...place, message, hint };
}

function startsUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Splits at line feeds, which are part of no other UTF-8 character. */
function firstBroken(bytes: Buffer): Place {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const one = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!isUtf8(one)) return { line, column: one.toString('utf8').indexOf('\ufffd') + 1 };
    start += one.length + 1;
  }
  return { line, column: 1 };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: YAML has none of them (YAML 1.2.2 §5.1)
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

const unprintable =
  'the file may be binary or incomplete; to write this character, use `\\0` or `\\x1b` in double quotes';

function control(code: number): string {
  return code === 0 ? 'a NUL byte' : `a control character (U+${code.toString(16).toUpperCase().padStart(4, '0')})`;
}

function placeIn(text: string, at: number): Place {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
