import { StringDecoder } from 'node:string_decoder';

export interface EventReader {
  /** The data of an event, and what the client gets instead. */
  data(text: string): string;
  /** The id of an event, and what the client gets instead. */
  id(text: string): string;
}

/** An event is longer than the gateway holds. */
export class EventTooLong extends Error {}

const LINE = /\r\n|\n|\r(?!$)/;

/**
 * Changes data and ids of an event stream (HTML standard, server-sent events). It holds an event until its end, and
 * passes comments at once, because they keep a connection alive.
 */
export class EventStream {
  readonly #decoder = new StringDecoder('utf8');
  readonly #reader: EventReader;
  readonly #longest: number;
  /** The text after the last line break. */
  #rest = '';
  /** The lines of the event that has not ended. */
  #lines: string[] = [];
  #held = 0;

  /** `longest`: characters of one event. */
  constructor(reader: EventReader, longest: number) {
    this.#reader = reader;
    this.#longest = longest;
  }

  /** The bytes that can go to the client now. */
  push(chunk: Buffer): string {
    return this.#take(this.#decoder.write(chunk));
  }

  /** A client may dispatch the last event although no empty line ends it. */
  end(): string {
    const out = this.#take(`${this.#decoder.end()}\n`);
    return out + this.#event(false);
  }

  #take(text: string): string {
    const lines = (this.#rest + text).split(LINE);
    this.#rest = lines.pop() ?? '';
    const out = lines.map((line) => this.#line(line)).join('');
    if (this.#held + this.#rest.length > this.#longest) throw new EventTooLong('an event is longer than `mcp.body`');
    return out;
  }

  #line(line: string): string {
    if (line === '') return this.#event(true);
    if (line.startsWith(':')) return `${line}\n`;
    this.#lines.push(line);
    this.#held += line.length;
    return '';
  }

  #event(isEnded: boolean): string {
    const lines = this.#lines;
    this.#lines = [];
    this.#held = 0;
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

/** Undefined: the line is another field. One space after the colon is not part of the value. */
function fieldOf(line: string, field: string): string | undefined {
  if (line === field) return '';
  if (!line.startsWith(`${field}:`)) return undefined;
  const value = line.slice(field.length + 1);
  return value.startsWith(' ') ? value.slice(1) : value;
}
