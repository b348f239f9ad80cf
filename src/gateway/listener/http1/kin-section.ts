import { ownText } from '../../../base/own-text.ts';
import { NO_VALUE } from '../../message/http-grammar.ts';
import { trimmed } from '../../message/raw-fields.ts';
import { nameOf, type Role } from './field-names.ts';
import { type FieldSection, isPlainLength, type KnownLine } from './field-section.ts';

/** The work for a changed value grows with the number of lines. Clients have few of both, so others are read in full. */
const MOST_LINES = 64;
const MOST_CHANGED = 8;

/** A line of these says what a message is, or for whom. */
const FIXED: ReadonlySet<Role> = new Set(['host', 'connection']);

/**
 * The sections of one client mostly have the same names, and differ in a few values: a request id, a trace, a credential.
 * Reading such a section takes a comparison of each line with the line of the section before. Undefined: more than a few
 * values differ, or a value is invalid.
 */
export function readKin(text: string, before: FieldSection): FieldSection | undefined {
  if (before.rawHeaders.length > 2 * MOST_LINES) return undefined;
  if (!isKnown(before) && !haveSameNames(text, before.text)) return undefined;
  const { lines, rawHeaders } = isKnown(before) ? before : copied(before);
  const kin = { lines: lines.slice(), rawHeaders: rawHeaders.slice(), length: before.length, changed: [] };
  let at = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as KnownLine;
    const same = at + line.text.length;
    // V8 compares two texts faster than it looks for the beginning of one.
    const end = text.slice(at, same) === line.text ? same : replaceLine(kin, index, text, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return at === text.length ? { text, isLast: before.isLast, ...kin } : undefined;
}

type KnownSection = Required<Pick<FieldSection, 'lines' | 'rawHeaders'>>;

function isKnown(section: FieldSection): section is FieldSection & KnownSection {
  return section.lines !== undefined;
}

/** Copies nothing, because connections of several clients often alternate between other sections. */
function haveSameNames(text: string, before: string): boolean {
  let at = 0;
  for (let from = 0; from < before.length; from = before.indexOf('\r\n', from) + 2) {
    if (!text.startsWith(before.slice(from, before.indexOf(':', from) + 1), at)) return false;
    const end = text.indexOf('\r\n', at);
    if (end < 0) return false;
    at = end + 2;
  }
  return at === text.length;
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

/** Slices of the section would keep all of it in memory, with its credentials. */
function copied({ text: section }: FieldSection): KnownSection {
  const lines: KnownLine[] = [];
  const rawHeaders: string[] = [];
  for (let at = 0, end = 0; at < section.length; at = end) {
    end = section.indexOf('\r\n', at) + 2;
    const text = ownText(section.slice(at, end));
    const colon = text.indexOf(':');
    const { name, role } = nameOf(text.slice(0, colon));
    lines.push({ text, start: `${name}:`, role });
    rawHeaders.push(name, trimmed(text, colon + 1, text.length - 2));
  }
  return { lines, rawHeaders };
}
