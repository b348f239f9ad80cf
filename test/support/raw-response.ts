/**
 * A strict reader of HTTP/1.1 answers (RFC 9112). It finds faults that a lenient client would ignore: it throws on
 * anything that is not well-formed, and tells a complete answer from a cut one.
 */
export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  /** In order, as received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly trailers: readonly (readonly [name: string, value: string])[];
  /** False: the connection closed before the announced end. */
  readonly complete: boolean;
  /** Only the end of the connection ends the body. */
  readonly endsWithConnection: boolean;
  /** Interim answers (1xx) before this one. */
  readonly interim: readonly number[];
  /** The only value of a header; undefined if there is none. Throws if there are several. */
  header(name: string): string | undefined;
  /** All values of a header. */
  all(name: string): readonly string[];
}

export type Parsed = { readonly response: RawResponse; readonly rest: Buffer } | 'more';

type Fields = readonly (readonly [name: string, value: string])[];

interface Head {
  readonly status: number;
  readonly reason: string;
  readonly headers: Fields;
}

const EMPTY = Buffer.alloc(0);

/** `closed`: no more bytes will come. */
export function parseResponse(bytes: Buffer, method: string, closed: boolean): Parsed {
  const interim: number[] = [];
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', start);
    if (end === -1) return 'more';
    const head = parseHead(bytes.toString('latin1', start, end));
    start = end + 4;
    if (head.status >= 200 || head.status === 101)
      return parseBody(head, bytes.subarray(start), { method, closed, interim });
    interim.push(head.status);
  }
}

interface Context {
  readonly method: string;
  readonly closed: boolean;
  readonly interim: readonly number[];
}

function parseHead(text: string): Head {
  const [line = '', ...lines] = text.split('\r\n');
  const start = /^HTTP\/1\.1 (\d{3}) ([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
  if (start === null) throw new Error(`not a status line: ${JSON.stringify(line.slice(0, 100))}`);
  return { status: Number(start[1]), reason: start[2] as string, headers: lines.map(parseField) };
}

function parseField(line: string): readonly [string, string] {
  const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line);
  if (field === null) throw new Error(`not a header field: ${JSON.stringify(line.slice(0, 100))}`);
  return [field[1] as string, field[2] as string];
}

function parseBody(head: Head, bytes: Buffer, context: Context): Parsed {
  const values = (name: string) => valuesOf(head.headers, name);
  const coding = values('transfer-encoding');
  const lengths = values('content-length');
  if (coding.length > 0 && lengths.length > 0)
    throw new Error('an answer has Content-Length or Transfer-Encoding, not both');
  if (coding.length > 1 || lengths.length > 1) throw new Error('the length of the answer is said twice');
  if (context.method === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304) {
    return finish(head, context, { body: EMPTY, rest: bytes });
  }
  if (coding.length > 0) return parseChunks(head, bytes, context);
  if (lengths.length > 0) return parseLength(head, bytes, context, lengths[0] as string);
  return context.closed ? finish(head, context, { body: bytes, endsWithConnection: true }) : 'more';
}

function parseLength(head: Head, bytes: Buffer, context: Context, text: string): Parsed {
  if (!/^\d+$/.test(text)) throw new Error(`not a length: ${text}`);
  const length = Number(text);
  if (bytes.length >= length)
    return finish(head, context, { body: bytes.subarray(0, length), rest: bytes.subarray(length) });
  return context.closed ? finish(head, context, { body: bytes, complete: false }) : 'more';
}

function parseChunks(head: Head, bytes: Buffer, context: Context): Parsed {
  const parts: Buffer[] = [];
  const cut = () => (context.closed ? finish(head, context, { body: Buffer.concat(parts), complete: false }) : 'more');
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return cut();
    const size = chunkSize(bytes.toString('latin1', at, end));
    at = end + 2;
    if (size === 0) return parseTrailers(head, bytes.subarray(at), context, Buffer.concat(parts)) ?? cut();
    parts.push(bytes.subarray(at, at + size));
    if (bytes.length < at + size + 2) return cut();
    if (bytes.toString('latin1', at + size, at + size + 2) !== '\r\n')
      throw new Error('a chunk is longer than it says');
    at += size + 2;
  }
}

function chunkSize(text: string): number {
  if (!/^[0-9A-Fa-f]+$/.test(text)) throw new Error(`not a chunk size: ${JSON.stringify(text.slice(0, 50))}`);
  return Number.parseInt(text, 16);
}

function parseTrailers(head: Head, bytes: Buffer, context: Context, body: Buffer): Parsed | undefined {
  if (bytes.toString('latin1', 0, 2) === '\r\n') return finish(head, context, { body, rest: bytes.subarray(2) });
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const trailers = bytes.toString('latin1', 0, end).split('\r\n').map(parseField);
  return finish(head, context, { body, trailers, rest: bytes.subarray(end + 4) });
}

interface Rest {
  readonly body: Buffer;
  readonly rest?: Buffer;
  readonly trailers?: Fields;
  readonly complete?: boolean;
  readonly endsWithConnection?: boolean;
}

function finish(head: Head, { interim }: Context, rest: Rest): Parsed {
  const all = (name: string) => valuesOf(head.headers, name);
  const response: RawResponse = {
    ...head,
    body: rest.body,
    trailers: rest.trailers ?? [],
    complete: rest.complete ?? true,
    endsWithConnection: rest.endsWithConnection ?? false,
    interim,
    all,
    header: (name) => only(name, all(name)),
  };
  return { response, rest: rest.rest ?? EMPTY };
}

function valuesOf(fields: Fields, name: string): string[] {
  return fields.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

function only(name: string, values: readonly string[]): string | undefined {
  if (values.length > 1) throw new Error(`${name} occurs ${values.length} times`);
  return values[0];
}
