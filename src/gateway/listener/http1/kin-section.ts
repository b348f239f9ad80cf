import { ownText } from '../../../base/own-text.ts';
import { NO_VALUE } from '../../message/http-grammar.ts';
import { trimmed } from '../../message/raw-fields.ts';
import { nameOf, type Role } from './field-names.ts';
import { type FieldSection, isPlainLength } from './field-section.ts';

/**
 * The sections of one client mostly have the same names, and differ in a few values: a request id, a trace, a credential.
 * Reading such a section takes a comparison of each line with the line of the section before.
 */
interface KnownLine {
  /** The whole line, with its end. */
  readonly text: string;
  /** The name as written, with the colon. */
  readonly start: string;
  readonly role: Role;
}

/** A line of these says what a message is, or for whom. */
const FIXED: ReadonlySet<Role> = new Set(['host', 'connection']);

/** A section whose lines are known. They share no memory with a section before. */
interface KnownSection extends FieldSection {
  readonly lines: readonly KnownLine[];
}

/**
 * The work for a changed value grows with the number of lines. Clients have few of both, so a section with more is read in
 * full, and costs what it cost before.
 */
const MOST_LINES = 64;
const MOST_CHANGED = 8;

/** Undefined: more than a few values differs from the section before, or a value is invalid. */
export function readKin(text: string, before: FieldSection): FieldSection | undefined {
  if (before.rawHeaders.length > 2 * MOST_LINES) return undefined;
  const { lines, rawHeaders, length, isLast } = 'lines' in before ? (before as KnownSection) : known(before);
  const kin = { lines: lines.slice(), rawHeaders: rawHeaders.slice(), length, changed: [] as number[] };
  let at = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as KnownLine;
    const isSame = text.startsWith(line.text, at);
    const end = isSame ? at + line.text.length : replaceLine(kin, index, text, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return at === text.length ? ({ text, isLast, ...kin } satisfies KnownSection) : undefined;
}

interface Kin {
  readonly lines: KnownLine[];
  readonly rawHeaders: string[];
  length: number | undefined;
  readonly changed: number[];
}

/** Returns the end of the line in the text. Undefined: this line of the text has another name, or an invalid value. */
function replaceLine(kin: Kin, index: number, text: string, at: number): number | undefined {
  const { start, role } = kin.lines[index] as KnownLine;
  if (FIXED.has(role) || kin.changed.length === MOST_CHANGED || !text.startsWith(start, at)) return undefined;
  const from = at + start.length;
  const to = text.indexOf('\r\n', from);
  if (to < 0 || NO_VALUE.test(text.slice(from, to))) return undefined;
  const line = ownText(text.slice(at, to + 2));
  const value = trimmed(line, start.length, line.length - 2);
  if (role === 'length') {
    if (!isPlainLength(value)) return undefined;
    kin.length = Number(value);
  }
  kin.lines[index] = { text: line, start, role };
  kin.rawHeaders[2 * index + 1] = value;
  kin.changed.push(2 * index);
  return to + 2;
}

/** Copies the lines. Slices of the section would keep all of it in memory, with its credentials. */
function known(section: FieldSection): KnownSection {
  const lines: KnownLine[] = [];
  const rawHeaders: string[] = [];
  for (let at = 0, end = 0; at < section.text.length; at = end) {
    end = section.text.indexOf('\r\n', at) + 2;
    const text = ownText(section.text.slice(at, end));
    const colon = text.indexOf(':');
    const { name, role } = nameOf(text.slice(0, colon));
    lines.push({ text, start: `${name}:`, role });
    rawHeaders.push(name, trimmed(text, colon + 1, text.length - 2));
  }
  return { ...section, lines, rawHeaders };
}
