/** One item of an event stream: an event, or a comment that shows that the stream is alive. */
export type StreamItem =
  | { readonly kind: 'comment' }
  | { readonly kind: 'frame'; readonly id: string | undefined; readonly event: string; readonly data: string };

export interface StreamFault {
  readonly kind: 'fault';
  readonly detail: string;
}

/** What a stream may send at most. */
export interface StreamLimits {
  /** Characters of one line. */
  readonly line: number;
  /** Lines of one frame. */
  readonly lines: number;
}

const OF_FEED: StreamLimits = { line: 4096, lines: 16 };

/** `retry` requests a pause, which the follower ignores and chooses itself. */
const FIELDS: ReadonlySet<string> = new Set(['id', 'event', 'data', 'retry']);

/**
 * Reads an event stream (HTML Living Standard §9.2.6) piece by piece. It is stricter than a browser: an unknown field,
 * an endless line or invalid UTF-8 is a fault, because no feed sends these.
 */
export class EventStreamReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #fields = new Map<string, string>();
  readonly #limits: StreamLimits;
  #rest = '';
  #lines = 0;

  constructor(limits: StreamLimits = OF_FEED) {
    this.#limits = limits;
  }

  /** Returns the items that this chunk completes. A fault ends the reading. */
  read(chunk: Uint8Array): readonly (StreamItem | StreamFault)[] {
    const text = this.#decode(chunk);
    if (text === undefined) return [fault('not UTF-8')];
    const lines = (this.#rest + text).split(LINE_END);
    this.#rest = lines.pop() ?? '';
    const items = lines.map((line) => this.#line(line)).filter((item) => item !== undefined);
    const end = items.findIndex(({ kind }) => kind === 'fault');
    if (end !== -1) return items.slice(0, end + 1);
    return this.#rest.length > this.#limits.line ? [...items, fault('a line is too long')] : items;
  }

  #decode(chunk: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(chunk, { stream: true });
    } catch {
      return undefined;
    }
  }

  #line(line: string): StreamItem | StreamFault | undefined {
    if (line === '') return this.#frame();
    if (line.length > this.#limits.line || ++this.#lines > this.#limits.lines) return fault('a frame is too long');
    if (line.startsWith(':')) return COMMENT;
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    if (!FIELDS.has(name) || this.#fields.has(name)) return fault('not the form of an event stream');
    this.#fields.set(name, colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, ''));
    return undefined;
  }

  #frame(): StreamItem | undefined {
    const [id, event, data] = ['id', 'event', 'data'].map((name) => this.#fields.get(name));
    this.#fields.clear();
    this.#lines = 0;
    if (id === undefined && event === undefined && data === undefined) return undefined;
    return { kind: 'frame', id, event: event ?? '', data: data ?? '' };
  }
}

/** A CR at the end of a chunk may be half of a line end. The lookahead leaves it for the next chunk. */
const LINE_END = /\r\n|\n|\r(?!$)/;
const COMMENT: StreamItem = { kind: 'comment' };

function fault(detail: string): StreamFault {
  return { kind: 'fault', detail };
}
