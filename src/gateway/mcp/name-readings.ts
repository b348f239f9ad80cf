import { isUtf8 } from 'node:buffer';

/** How servers may read the name of an operation, in a form for comparison (`looseName`). */
export interface NameReadings {
  /** Each must have the same rule as the name itself. */
  readonly likely: readonly string[];
  /** None may have a more specific rule: a server ignores the host, the query, or the end of a file's name. */
  readonly partial: readonly string[];
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Servers decode a name at most this often. */
const DECODINGS = 3;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse.
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * The readings of a name. A name with a scheme, and every name of a resource, is a URI: a server may decode it,
 * resolve dot segments, merge slashes and use only its path. Undefined: an encoded control character could end the name,
 * or it is encoded too often.
 */
export function nameReadings(name: string, isResource: boolean): NameReadings | undefined {
  const text = name.trim();
  if (!isResource && !SCHEME.test(text)) return { likely: [looseName(text)], partial: [] };
  const plain = decodings(text, (form) => form);
  // Some servers also replace compatible characters before they look for dots and slashes: `‥`, `／`, `％`.
  const compatible = decodings(text, (form) => form.normalize('NFKC'));
  if (plain === undefined || compatible === undefined) return undefined;
  const forms = [...new Set([...plain, ...compatible])];
  const likely = new Set(forms.flatMap((form) => [form, ...resolved(form)]).map(looseName));
  const partial = new Set([...[...likely].flatMap(parts), ...forms.flatMap(asFile)]);
  return { likely: [...likely], partial: [...partial].filter((reading) => !likely.has(reading)) };
}

/**
 * One form for names that a server may treat as equal: case and compatible characters do not count. In a URI, encodings
 * and the number of slashes do not count either.
 */
export function looseName(name: string): string {
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('\u0307', '');
  const [scheme] = SCHEME.exec(folded) ?? [];
  if (scheme === undefined) return folded;
  const rest = decoded(folded.slice(scheme.length)).toLowerCase().replaceAll('\\', '/').replaceAll('+', ' ');
  return scheme + rest.replace(/\/{2,}/g, '/').replace(/^\//, '');
}

/** The text after each decoding, with backslashes and with slashes in their place; `written` is the server's own form. */
function decodings(text: string, written: (form: string) => string): readonly string[] | undefined {
  const forms = [written(text)];
  for (let form = forms[0] as string; forms.length <= DECODINGS + 1; forms.push(form)) {
    const next = written(decoded(form)).trimStart();
    if (next === form)
      return forms.flatMap((each) => (each.includes('\\') ? [each, each.replaceAll('\\', '/')] : [each]));
    if (CONTROL.test(next)) return undefined;
    form = next;
  }
  return undefined;
}

const ENCODED = /(?:%[0-9a-f]{2})+|%u[0-9a-f]{4}/gi;

/** As a lenient server decodes: an invalid encoding stays, and .NET also knows `%u0065`. */
function decoded(text: string): string {
  return text.includes('%') ? text.replace(ENCODED, decodedRun) : text;
}

function decodedRun(run: string): string {
  if (run[1] === 'u' || run[1] === 'U') return String.fromCharCode(Number.parseInt(run.slice(2), 16));
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  // Old decoders read C0 AE as a dot, so invalid UTF-8 is a control character here.
  return isUtf8(bytes) ? bytes.toString('utf8') : '\0';
}

/** As the URL standard resolves it, and as a file system does after the scheme, with the query and before it. */
function resolved(form: string): readonly string[] {
  if (!SCHEME.test(form)) return [];
  const start = form.indexOf(':') + 1;
  const query = form.search(/[?#]/);
  const ends = query === -1 ? [form.length] : [form.length, query];
  const paths = ends.map((end) => form.slice(0, start) + segments(form.slice(start, end)) + form.slice(end));
  const url = URL.parse(form);
  return url === null ? paths : [url.href, ...paths];
}

/** Without dot segments and empty segments. */
function segments(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return kept.join('/') + (path.endsWith('/') ? '/' : '');
}

/** Readings of one loose URI by servers that use only a part of it. */
function parts(loose: string): readonly string[] {
  if (!SCHEME.test(loose)) return [];
  const whole = loose.split(/[?#]/, 1)[0] as string;
  const at = whole.indexOf(':') + 1;
  const [scheme, path] = [whole.slice(0, at), whole.slice(at)];
  const slash = path.indexOf('/');
  const host = slash === -1 ? path : path.slice(0, slash);
  const withoutUser = path.slice(host.lastIndexOf('@') + 1);
  const forms = [path, withoutUser, ...(scheme === 'file:' && slash !== -1 ? [path.slice(slash + 1)] : [])];
  return forms.flatMap((form) => [scheme + form, scheme + asOnWindows(form)]);
}

/** Windows ignores dots and spaces at the end of a name, and a stream such as `::$DATA`. */
function asOnWindows(path: string): string {
  return (path.split('::$', 1)[0] as string).split('/').map(withoutEnd).join('/');
}

function withoutEnd(segment: string): string {
  let end = segment.length;
  while (end > 0 && (segment[end - 1] === '.' || segment[end - 1] === ' ')) end--;
  return segment.slice(0, end);
}

/** A file server may treat a resource without a scheme as a path. */
function asFile(form: string): readonly string[] {
  if (SCHEME.test(form)) return [];
  const uri = `file:///${form}`;
  const readings = [uri, ...resolved(uri)].map(looseName);
  return [...readings, ...readings.flatMap(parts)];
}
