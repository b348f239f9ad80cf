import { isMap, parseDocument } from 'yaml';

// `npm run test:listeners`: GATEHOUSE_LISTENER is the `listener` of each gateway of a test that names none. The
// programs do not read it. A test helper that starts a program writes its file with this function.

/** Undefined: the default of the program. Read each time, because tests of this function set it. */
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

/** The file with that listener, as text. An unreadable file is unchanged, so that the program judges it. */
export function textWithListener(text: string): string {
  const listener = chosen();
  const document = listener === undefined ? undefined : parseDocument(text);
  if (document === undefined || document.errors.length > 0 || !isMap(document.contents)) return text;
  if (!document.has('upstreams') || document.has('listener')) return text;
  document.set('listener', listener);
  return String(document);
}
