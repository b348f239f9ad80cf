import { parseKeptJson } from './kept-json.ts';
import { type ListReader, listMembers, readLists } from './lists.ts';

/** The text of an answer as the client gets it. Undefined: the text is not JSON, or nested too deeply to be read. */
export function readAnswerText(text: string, reader: ListReader): string | undefined {
  try {
    const answer = parseKeptJson(text);
    const read = readLists(answer, reader);
    // A client could read another member of the original text, if a name occurs twice. So it gets what was read.
    return reader.permits === undefined && read === answer ? text : JSON.stringify(read);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Also with escapes, and in another character set, which some clients recognize. */
const LIKE_LIST = new RegExp(`"(?:${listMembers.join('|')})"|\\\\u|\\0`);

/** Whether a client may find a list in the text. It costs much less than reading the text. */
export function mayHaveList(text: string): boolean {
  return LIKE_LIST.test(text);
}

/** An event contains a list that cannot be filtered. */
export class UnreadableEvent extends Error {
  readonly code = 'EVENT_UNREADABLE';
}

/** The data of an event as the client gets it. A stream may contain other data than messages, such as an address. */
export function readEventData(text: string, reader: ListReader): string {
  const read = readAnswerText(text, reader);
  if (read === undefined && reader.permits !== undefined && LIKE_MESSAGE.test(text))
    throw new UnreadableEvent('the data of an event is not JSON');
  return read ?? text;
}

const LIKE_MESSAGE = /^\s*[[{]/;
