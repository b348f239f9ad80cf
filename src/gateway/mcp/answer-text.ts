import { parseKeptJson } from './kept-json.ts';
import { type ListReader, readLists } from './lists.ts';

/** The text of an answer as the client gets it. Undefined: the text is not JSON. */
export function readAnswerText(text: string, reader: ListReader): string | undefined {
  let answer: unknown;
  try {
    answer = parseKeptJson(text);
  } catch {
    return undefined;
  }
  const read = readLists(answer, reader);
  // A client could read another member of the original text, if a name occurs twice. So it gets what was read.
  return reader.permits === undefined && read === answer ? text : JSON.stringify(read);
}
