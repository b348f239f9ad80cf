import { isMap, parseDocument } from 'yaml';

// `npm run test:listeners`: GATEHOUSE_LISTENER is the `listener` of each gateway of a test that names none. The programs know
// nothing of it; what starts one in a test writes its file by this.

/** Undefined: the default of the program. Read each time, since tests of this set it. */
function chosen(): string | undefined {
  return process.env.GATEHOUSE_LISTENER || undefined;
}

/** The file with that listener, as values. */
export function withListener<File extends object>(file: File): File {
  const listener = chosen();
  return listener !== undefined && takesListener(file) ? { ...file, listener } : file;
}

/** The file of an authorization service has no upstreams. */
function takesListener(file: object): boolean {
  return 'upstreams' in file && !('listener' in file);
}

/** The file with that listener, as text. What cannot be read is left as it is: a program shall judge it. */
export function textWithListener(text: string): string {
  const listener = chosen();
  const document = listener === undefined ? undefined : parseDocument(text);
  if (document === undefined || document.errors.length > 0 || !isMap(document.contents)) return text;
  if (!document.has('upstreams') || document.has('listener')) return text;
  document.set('listener', listener);
  return String(document);
}
