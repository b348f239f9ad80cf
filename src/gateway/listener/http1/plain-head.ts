import { type FieldSection, mayBecomeSection, readSection } from './field-section.ts';
import { type PlainMethod, type ReadSoFar, readPlainLine } from './request-line.ts';

/** The head of a request without content, which is all of the request. */
export interface PlainHead {
  readonly method: PlainMethod;
  readonly target: string;
  readonly section: FieldSection;
  /** Where the next request begins. */
  readonly end: number;
}

const SECTION_END = '\r\n\r\n';

/**
 * Reads a request of the kind whose end cannot be read in two ways: GET or HEAD, HTTP/1.1, no content, no other protocol.
 * All that it can be misread about is where the head ends, and that is the first empty line.
 * @param limit bytes of a head that Node's parser would never find too large
 */
export function readPlainHead(bytes: Buffer, from: number, limit: number, before?: FieldSection): ReadSoFar<PlainHead> {
  const line = readPlainLine(bytes, from);
  if (line === 'foreign') return line;
  if (line === 'unfinished') return withinLimit(bytes.length - from, limit);
  // The end of the request line is the first half of the end of an empty section.
  const found = bytes.indexOf(SECTION_END, line.end - 2, 'latin1');
  if (found < 0) {
    const isBeginning = mayBecomeSection(bytes.toString('latin1', line.end, bytes.length));
    return isBeginning ? withinLimit(bytes.length - from, limit) : 'foreign';
  }
  const end = found + SECTION_END.length;
  const section = end - from < limit ? sectionOf(bytes.toString('latin1', line.end, found + 2), before) : undefined;
  return section === undefined ? 'foreign' : { method: line.method, target: line.target, section, end };
}

function sectionOf(text: string, before: FieldSection | undefined): FieldSection | undefined {
  return text === before?.text ? before : readSection(text);
}

function withinLimit(size: number, limit: number): 'unfinished' | 'foreign' {
  return size < limit ? 'unfinished' : 'foreign';
}
