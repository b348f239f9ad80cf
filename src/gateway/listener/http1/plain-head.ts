import { type FieldSection, mayBecomeSection, readSection } from './field-section.ts';
import { readKin } from './kin-section.ts';
import { type PlainMethod, type ReadSoFar, readPlainLine } from './request-line.ts';

/** The head of a request, and where its content is. */
export interface PlainHead {
  readonly method: PlainMethod;
  readonly target: string;
  readonly section: FieldSection;
  /** Where the content begins. */
  readonly content: number;
  /** Where the content ends, and the next request begins. */
  readonly end: number;
}

const SECTION_END = '\r\n\r\n';

/**
 * Bytes of an incomplete head. With each piece, this listener reads the head again from its start, but Node's parser does not.
 * So Node's server reads long heads that arrive in pieces.
 */
const MOST_UNFINISHED = 16 * 1024;

/**
 * Reads only a request with one possible end: it is HTTP/1.1, asks for no other protocol, and has either no content or a length
 * and its whole content. The head ends at the first empty line. A request whose content is still to come belongs to Node's
 * server, which reads it while it arrives.
 * @param limit bytes of a head that Node's parser would never find too large
 */
export function readPlainHead(bytes: Buffer, from: number, limit: number, before?: FieldSection): ReadSoFar<PlainHead> {
  const line = readPlainLine(bytes, from);
  if (line === 'foreign') return line;
  if (line === 'unfinished') return withinLimit(bytes.length - from, limit);
  // If the section is empty, its end begins with the end of the request line.
  const found = bytes.indexOf(SECTION_END, line.end - 2, 'latin1');
  if (found < 0) {
    const isBeginning = mayBecomeSection(bytes.toString('latin1', line.end, bytes.length));
    return isBeginning ? withinLimit(bytes.length - from, limit) : 'foreign';
  }
  const content = found + SECTION_END.length;
  const section = content - from < limit ? sectionOf(bytes.toString('latin1', line.end, found + 2), before) : undefined;
  if (section === undefined || !mayHave(line.method, section.length)) return 'foreign';
  const end = content + (section.length ?? 0);
  return end > bytes.length ? 'foreign' : { method: line.method, target: line.target, section, content, end };
}

/** RFC 9110 §9.3.1: content of a GET has no defined meaning. */
function mayHave(method: PlainMethod, length: number | undefined): boolean {
  return length === undefined || (method !== 'GET' && method !== 'HEAD');
}

function sectionOf(text: string, before: FieldSection | undefined): FieldSection | undefined {
  if (before === undefined) return readSection(text);
  return text === before.text ? before : (readKin(text, before) ?? readSection(text));
}

function withinLimit(size: number, limit: number): 'unfinished' | 'foreign' {
  return size < Math.min(limit, MOST_UNFINISHED) ? 'unfinished' : 'foreign';
}
