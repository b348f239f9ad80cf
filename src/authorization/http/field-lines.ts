import type { IncomingMessage } from 'node:http';

/** The values of a field, one a line of it; `name` in lower case. Node's own `headersDistinct` makes that of every field. */
export function fieldLines({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const written = rawHeaders[at] as string;
    if (written.length === name.length && written.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
