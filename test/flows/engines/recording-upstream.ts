import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export type Fields = readonly (readonly [name: string, value: string])[];

/** A request byte by byte as an upstream got it; texts are latin1. */
export interface Recorded {
  readonly line: string;
  readonly fields: Fields;
  readonly framing: 'none' | 'sized' | 'chunked';
  body: Buffer;
  trailers: Fields;
  /** aborted: its end will never come. */
  state: 'open' | 'completed' | 'aborted';
  /** It got a 100 or 101 that it did not ask for. */
  unasked: 'continue' | 'switch' | undefined;
  all(name: string): readonly string[];
}

/** Called for each complete request. The upstream sends only what this writes. */
export type Answering = (request: Recorded, socket: Socket) => 'tunnel' | 'http';

export interface RecordingUpstream {
  readonly url: string;
  readonly port: number;
  /** By the field `x-case`. Removes them from the list. */
  take(id: string): readonly Recorded[];
  peek(id: string): readonly Recorded[];
  /** Bytes that were not a request (RFC 9112). */
  readonly faults: string[];
}

/** An upstream that accepts only well-formed requests, and keeps everything that it gets. */
export async function recordingUpstream(t: Test, answer: Answering): Promise<RecordingUpstream> {
  const byCase = new Map<string, Recorded[]>();
  const faults: string[] = [];
  const sockets = new Set<Socket>();
  const began = (request: Recorded) => {
    const id = request.all('x-case').join();
    byCase.set(id, [...(byCase.get(id) ?? []), request]);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const reader = new RequestReader({ began, whole: (request) => answer(request, socket), socket });
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.read(chunk);
      } catch (error) {
        faults.push(String(error));
        socket.destroy();
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      reader.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const peek = (id: string) => byCase.get(id) ?? [];
  const take = (id: string) => {
    const found = peek(id);
    byCase.delete(id);
    return found;
  };
  return { url: `http://127.0.0.1:${port}`, port, take, peek, faults };
}

interface Hearing {
  began(request: Recorded): void;
  whole(request: Recorded): 'tunnel' | 'http';
  readonly socket: Socket;
}

const NOTHING = Buffer.alloc(0);
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t\x20-\x7e\x80-\xff]*)$/;

/** The strict form that the gateway writes: one space after the colon, no chunk extension. */
class RequestReader {
  readonly #hearing: Hearing;
  #bytes: Buffer = NOTHING;
  #request: Recorded | undefined;
  #left = 0;
  #isTunnel = false;

  constructor(hearing: Hearing) {
    this.#hearing = hearing;
  }

  /** Throws if it is not a request. */
  read(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    while (this.#bytes.length > 0 && this.#step());
  }

  end(): void {
    if (this.#request?.state === 'open') this.#request.state = 'aborted';
  }

  /** False: it waits for more. */
  #step(): boolean {
    const request = this.#request;
    if (request === undefined) return this.#readHead();
    if (this.#isTunnel) return this.#echo(request);
    return request.framing === 'sized' ? this.#readSized(request) : this.#readChunk(request);
  }

  #readHead(): boolean {
    const text = this.#take('\r\n\r\n');
    if (text === undefined) return false;
    const [line = '', ...lines] = text.split('\r\n');
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\x21-\x7e\x80-\xff]+ HTTP\/1\.1$/.test(line))
      throw new Error(`no line: ${line}`);
    const fields = lines.map(fieldOf);
    const all = (name: string) => fields.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
    const framing = framingOf(all('content-length'), all('transfer-encoding'));
    const request: Recorded = {
      line,
      fields,
      framing,
      body: NOTHING,
      trailers: [],
      state: 'open',
      unasked: undefined,
      all,
    };
    this.#request = request;
    this.#left = Number(all('content-length')[0] ?? 0);
    this.#hearing.began(request);
    if (framing === 'none' || (framing === 'sized' && this.#left === 0)) this.#whole(request);
    return true;
  }

  #readSized(request: Recorded): boolean {
    const part = this.#bytes.subarray(0, this.#left);
    request.body = Buffer.concat([request.body, part]);
    this.#bytes = this.#bytes.subarray(part.length);
    this.#left -= part.length;
    if (this.#left === 0) this.#whole(request);
    return true;
  }

  #readChunk(request: Recorded): boolean {
    const end = this.#bytes.indexOf('\r\n');
    if (end < 0) return false;
    const size = this.#bytes.toString('latin1', 0, end);
    if (!/^[0-9a-f]+$/.test(size)) throw new Error(`no size of a chunk: ${size}`);
    const length = Number.parseInt(size, 16);
    return length === 0 ? this.#readTrailers(request, end) : this.#readData(request, end + 2, length);
  }

  #readData(request: Recorded, from: number, length: number): boolean {
    const end = from + length;
    if (this.#bytes.length < end + 2) return false;
    if (this.#bytes.toString('latin1', end, end + 2) !== '\r\n') throw new Error('a chunk is longer than it says');
    request.body = Buffer.concat([request.body, this.#bytes.subarray(from, end)]);
    this.#bytes = this.#bytes.subarray(end + 2);
    return true;
  }

  #readTrailers(request: Recorded, sizeEnd: number): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n', sizeEnd);
    if (end < 0) return false;
    const lines = end === sizeEnd ? [] : this.#bytes.toString('latin1', sizeEnd + 2, end).split('\r\n');
    request.trailers = lines.map(fieldOf);
    this.#bytes = this.#bytes.subarray(end + 4);
    this.#whole(request);
    return true;
  }

  #whole(request: Recorded): void {
    request.state = 'completed';
    this.#isTunnel = this.#hearing.whole(request) === 'tunnel';
    if (!this.#isTunnel) this.#request = undefined;
  }

  #echo(request: Recorded): boolean {
    request.body = Buffer.concat([request.body, this.#bytes]);
    this.#hearing.socket.write(this.#bytes);
    this.#bytes = NOTHING;
    return true;
  }

  #take(end: string): string | undefined {
    const found = this.#bytes.indexOf(end);
    if (found < 0) return undefined;
    const text = this.#bytes.toString('latin1', 0, found);
    this.#bytes = this.#bytes.subarray(found + end.length);
    return text;
  }
}

function fieldOf(line: string): readonly [string, string] {
  const field = FIELD.exec(line);
  if (field === null) throw new Error(`no field: ${JSON.stringify(line)}`);
  return [field[1] ?? '', field[2] ?? ''];
}

function framingOf(lengths: readonly string[], codings: readonly string[]): Recorded['framing'] {
  if (lengths.length + codings.length > 1) throw new Error(`framed twice: ${[...lengths, ...codings].join(' | ')}`);
  if (codings.length === 1 && codings[0] !== 'chunked') throw new Error(`a coding: ${codings[0]}`);
  if (lengths.length === 1 && !/^[0-9]+$/.test(lengths[0] ?? '')) throw new Error(`no length: ${lengths[0]}`);
  return codings.length === 1 ? 'chunked' : lengths.length === 1 ? 'sized' : 'none';
}
