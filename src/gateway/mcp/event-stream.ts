export interface EventReader {
  /** The data of an event, and what the client gets instead. */
  data(text: string): string;
  /** The id of an event, and what the client gets instead. */
  id(text: string): string;
  /** True: the data of an event that is too long to be held pass as they arrive. */
  readonly passesLong: boolean;
}

/** An event is longer than the gateway holds. */
export class EventTooLong extends Error {
  readonly code = 'EVENT_TOO_LONG';
}

const BREAK = /\r\n?|\n/g;

/**
 * Changes data and ids of an event stream (HTML standard, server-sent events). It holds an event until its end, and
 * passes comments at once, because they keep a connection alive.
 */
export class EventStream {
  /** Drops a byte order mark at the start, as the standard says. */
  readonly #decoder = new TextDecoder();
  readonly #reader: EventReader;
  readonly #longest: number;
  /** The line that has not ended, in pieces: a search in all of it for each byte would take quadratic time. */
  #pieces: string[] = [];
  /** The lines of the event that has not ended. */
  #lines: string[] = [];
  /** Characters of both. */
  #held = 0;
  /** A part of this event has gone to the client, because the event is too long. */
  #isLong = false;
  /** The line that has not ended is a data line, and the client already has its beginning. */
  #isOpen = false;
  /** The last character was a carriage return, which ends a line with or without a line feed. */
  #isAfterReturn = false;

  /** `longest`: characters of one event. */
  constructor(reader: EventReader, longest: number) {
    this.#reader = reader;
    this.#longest = longest;
  }

  /** Characters of the event that has not ended. */
  get held(): number {
    return this.#held;
  }

  /** The text that can go to the client now. */
  push(chunk: Buffer): string {
    return this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  /** A client may dispatch the last event although no empty line ends it. */
  end(): string {
    const out = this.#take(this.#decoder.decode());
    const last = this.#pieces.length === 0 && !this.#isOpen ? '' : this.#endLine('');
    return out + last + this.#event(false);
  }

  #take(text: string): string {
    if (text === '') return '';
    const out: string[] = [];
    const fresh = this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#isAfterReturn = text.endsWith('\r');
    let start = 0;
    for (const { 0: found, index } of fresh.matchAll(BREAK)) {
      out.push(this.#endLine(fresh.slice(start, index)));
      start = index + found.length;
    }
    if (start < fresh.length) out.push(this.#beginLine(fresh.slice(start)));
    return out.join('');
  }

  #beginLine(piece: string): string {
    return this.#isOpen ? piece : this.#hold(this.#pieces, piece);
  }

  #endLine(piece: string): string {
    if (this.#isOpen) {
      this.#isOpen = false;
      return `${piece}\n`;
    }
    const line = this.#pieces.length === 0 ? piece : this.#pieces.join('') + piece;
    this.#held -= line.length - piece.length;
    this.#pieces = [];
    return this.#line(line);
  }

  #hold(where: string[], text: string): string {
    where.push(text);
    this.#held += text.length;
    return this.#held > this.#longest ? this.#letGo() : '';
  }

  /** What is held of an event that is too long. Only data may be so long: an id must be complete. */
  #letGo(): string {
    const open = this.#pieces.join('');
    const lines = this.#lines;
    if (!this.#reader.passesLong || (open.length > this.#longest && !open.startsWith('data:')))
      throw new EventTooLong('an event is longer than `mcp.body`');
    this.#isLong = true;
    this.#lines = [];
    this.#isOpen = open.startsWith('data:');
    this.#pieces = this.#isOpen || open === '' ? [] : [open];
    this.#held = this.#isOpen ? 0 : open.length;
    return lines.map((line) => `${this.#other(line)}\n`).join('') + (this.#isOpen ? open : '');
  }

  #line(line: string): string {
    if (line === '') return this.#event(true);
    if (line.startsWith(':')) return `${line}\n`;
    return this.#isLong ? `${this.#other(line)}\n` : this.#hold(this.#lines, line);
  }

  #event(isEnded: boolean): string {
    const lines = this.#lines;
    this.#lines = [];
    this.#held = 0;
    this.#isLong = false;
    const data = lines.flatMap((line) => fieldOf(line, 'data') ?? []);
    const others = lines.filter((line) => fieldOf(line, 'data') === undefined).map((line) => this.#other(line));
    const out =
      data.length === 0
        ? []
        : this.#reader
            .data(data.join('\n'))
            .split('\n')
            .map((line) => `data: ${line}`);
    return [...others, ...out].map((line) => `${line}\n`).join('') + (isEnded ? '\n' : '');
  }

  #other(line: string): string {
    const id = fieldOf(line, 'id');
    return id === undefined || id === '' ? line : `id: ${this.#reader.id(id)}`;
  }
}

/** Undefined: the line is a different field. One space after the colon is not part of the value. */
function fieldOf(line: string, field: string): string | undefined {
  if (line === field) return '';
  if (!line.startsWith(`${field}:`)) return undefined;
  const value = line.slice(field.length + 1);
  return value.startsWith(' ') ? value.slice(1) : value;
}
